import { chainIdText, witnessIn } from '../chain/witness.ts';
import type { KNOWN_BLOCKS } from '../indexer/known-blocks.ts';
import { toHex } from '../lib/hex.ts';
import { readBinding } from '../storage/chain-binding.ts';
import type { RowOf } from '../store/table.ts';
import type { Check, Finding } from './check.ts';
import { rowsOf } from './pages.ts';
import { eventOf } from './payloads.ts';

/** Reads the journal, not the rows of the index: those of a wrong chain were made with its addresses. */
export const networkCheck: Check = {
  name: 'network',
  proves: 'the index names its chain once it holds a transaction that was signed for one, and holds blocks of no other',

  async *run({ index, journal }) {
    const { chainId } = await readBinding(index);
    for await (const row of rowsOf<RowOf<typeof KNOWN_BLOCKS, 'index_block_hash' | 'height' | 'journal_seq'>>(index, {
      select: 'arrival, index_block_hash, height, journal_seq',
      from: 'known_blocks',
      key: ['arrival'],
      pageSize: 200,
    })) {
      const event = await eventOf(journal, row.journal_seq, '/new_block');
      const witness = event && witnessIn(event.block, id => id !== chainId);
      if (!witness) continue;
      const block = `known_blocks: block ${toHex(row.index_block_hash)} of height ${row.height}`;
      const index = chainId === undefined ? 'the index names no chain' : `the index is of ${chainIdText(chainId)}`;
      yield ofAnotherChain(`${block} is of chain ${chainIdText(witness.chainId)}; ${index}`, witness.chainId);
    }
  },
};

const ofAnotherChain = (what: string, chainId: number): Finding => ({
  what,
  hint: `Run \`stacks-index reindex --chain-id ${chainIdText(chainId)}\`: it builds the index anew from the journal, for that chain.`,
});
