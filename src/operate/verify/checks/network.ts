import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { chainIdText, witnessIn } from '../../../ingest/chain/witness.ts';
import { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { readSetAside } from '../../../ingest/indexer/set-aside.ts';
import { readBinding } from '../../storage/chain-binding.ts';
import type { Check, Finding } from '../check.ts';
import { tableRows } from '../pages.ts';
import { eventIfKept, eventOf } from './sources.ts';

/** Reads the journal, not the index: rows of an index for a wrong chain have addresses of that chain. */
export const networkCheck: Check = {
  name: 'network',
  proves: 'the index names its chain once it holds a transaction that was signed for one, and holds blocks of no other',

  async *run(context) {
    const { index, journal } = context;
    const { chainId } = await readBinding(index);
    /** Whether a block identifies the chain of the index. */
    let isWitnessed = false;
    for await (const row of tableRows(index, KNOWN_BLOCKS, ['index_block_hash', 'height', 'journal_seq'], PAGE)) {
      const event = await eventIfKept(context, row.journal_seq, '/new_block');
      isWitnessed ||= event === 'dropped';
      if (event === 'dropped') continue;
      isWitnessed ||= event !== undefined && witnessIn(event.block) !== undefined;
      const witness = event && witnessIn(event.block, id => id !== chainId);
      if (!witness) continue;
      const block = `known_blocks: block ${toHex(row.index_block_hash)} of height ${row.height}`;
      const index = chainId === undefined ? 'the index names no chain' : `the index is of ${chainIdText(chainId)}`;
      yield ofAnotherChain(`${block} is of chain ${chainIdText(witness.chainId)}; ${index}`, witness.chainId);
    }
    if (!isWitnessed && chainId !== undefined) yield* refusedBlock(index, journal, chainId);
  },
};

/** An index for a wrong chain has set aside all blocks, as they are of another chain. */
async function* refusedBlock(index: Queries, journal: Queries, chainId: number): AsyncIterable<Finding> {
  for (let after = 0; ; ) {
    const page = await readSetAside(index, after, PAGE);
    for (const { position } of page) {
      const event = await eventOf(journal, position, '/new_block');
      const witness = event && witnessIn(event.block, id => id !== chainId);
      if (!witness) continue;
      const aside = `entry ${position} of the journal, which is set aside, is of chain ${chainIdText(witness.chainId)}`;
      yield ofAnotherChain(
        `no block is of chain ${chainIdText(chainId)}, which the index names; ${aside}`,
        witness.chainId,
      );
      return;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.position;
  }
}

const PAGE = 200;

const ofAnotherChain = (what: string, chainId: number): Finding => ({
  what,
  hint: `Run \`stacks-index reindex --chain-id ${chainIdText(chainId)}\`: it builds the index anew from the journal, for that chain.`,
});
