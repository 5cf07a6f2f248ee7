import { toHex } from '../../../base/lib/hex.ts';
import { CANONICAL, unanchoredMicroblocks } from '../../../index/blocks/canonical-chain.ts';
import { type Check, wrong } from '../check.ts';

export const stateCheck: Check = {
  name: 'state',
  proves: 'position, tip, microblocks and depths of the index are those of its tables, and not ahead of the journal',

  async *run({ index, journalLength, state }) {
    const { position, tip, microblocks, depth, burnDepth, burnHeight, burnTip } = state;
    if (position > journalLength)
      yield wrong(`state: the index is at event ${position}, but the journal has ${journalLength}`);

    const top = await index.get<{ height: number; hash: Uint8Array }>(
      `SELECT b.seq + 1 AS height, k.index_block_hash AS hash
         FROM ${CANONICAL} ORDER BY b.seq DESC LIMIT 1`,
    );
    const topName = top && `${top.height} ${toHex(top.hash)}`;
    const tipName = tip ? `${tip.height} ${tip.indexBlockHash}` : undefined;
    if (topName !== tipName)
      yield wrong(`state: the tip is ${tipName ?? 'none'}, but the last block ${topName ?? 'none'}`);

    const standing = (await unanchoredMicroblocks(index)).map(({ hash }) => hash);
    if (standing.join() !== microblocks.map(({ hash }) => hash).join())
      yield wrong(
        `state: ${microblocks.length} microblocks are streamed on the tip, but the facts name ${standing.length}`,
      );

    const units = (tip?.height ?? 0) + microblocks.length;
    if (depth !== units) yield wrong(`state: ${depth} units are applied, but the chain has ${units}`);
    const burn = await index.get<{ blocks: number; top: number | null }>(
      'SELECT count(*) AS blocks, max(height) AS top FROM burn_blocks WHERE canonical = 1',
    );
    const newest = await index.get<{ hash: Uint8Array }>(
      'SELECT hash FROM burn_blocks WHERE canonical = 1 ORDER BY height DESC LIMIT 1',
    );
    if (burn?.blocks !== burnDepth)
      yield wrong(`state: ${burnDepth} burn blocks are applied, but ${burn?.blocks} are canonical`);
    if ((burn?.top ?? 0) !== burnHeight)
      yield wrong(`state: the burn height is ${burnHeight}, but the highest canonical burn block has ${burn?.top}`);
    const newestHash = newest ? toHex(newest.hash) : null;
    if (newestHash !== burnTip)
      yield wrong(`state: the burn tip is ${burnTip}, but the highest canonical burn block is ${newestHash}`);
  },
};
