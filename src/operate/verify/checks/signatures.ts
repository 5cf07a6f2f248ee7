import type { RowOf } from '../../../base/store/table.ts';
import { packSignatures } from '../../../index/blocks/record.ts';
import { ALL_BLOCK_SIGNATURES, type BLOCK_SIGNATURES } from '../../../index/blocks/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { canonicalBlocks } from './canonical-blocks.ts';
import { eventOf } from './payloads.ts';

export const signaturesCheck: Check = {
  name: 'signatures',
  proves: 'the signatures of the signers of each block are those of its payload, in their order',
  recounts: [ALL_BLOCK_SIGNATURES],

  async *run({ index, journal }: Context): AsyncIterable<Finding> {
    for await (const block of canonicalBlocks(index)) {
      const event = block.journal_seq === null ? undefined : await eventOf(journal, block.journal_seq, '/new_block');
      if (!event) continue; // reported by the check of known blocks
      const sql = 'SELECT signatures FROM block_signatures WHERE seq = ?';
      const row = await index.get<RowOf<typeof BLOCK_SIGNATURES, 'signatures'>>(sql, [block.seq]);
      const expected = packSignatures(event.block.signer_signature ?? []);
      if (!row || Buffer.compare(row.signatures ?? EMPTY, expected ?? EMPTY) !== 0)
        yield wrong(`block_signatures: those of height ${block.seq + 1} are not those of its payload`);
    }
  },
};

const EMPTY = new Uint8Array();
