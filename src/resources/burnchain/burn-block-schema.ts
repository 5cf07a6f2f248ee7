import Type from 'typebox';
import { count, hash, isoTime, unixTime } from '../../http/schema.ts';

/** A burn block, and the Stacks blocks that stand on it. */
export const BurnBlockSchema = Type.Object(
  {
    burn_block_time: unixTime(),
    burn_block_time_iso: isoTime(),
    burn_block_hash: hash(),
    burn_block_height: count(),
    stacks_blocks: Type.Array(hash(), { description: 'Hashes of its canonical Stacks blocks, newest first' }),
    avg_block_time: Type.Integer({ description: 'Mean seconds between them; 0 for a single one' }),
    total_tx_count: count('Transactions of all of them'),
  },
  { title: 'BurnBlock' },
);
