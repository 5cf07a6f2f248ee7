import { count, hash, isoTimestamp, whole } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const hashOrNone = (none: string) =>
  Type.Union([hash(), Type.Literal('0x')], { description: `\`0x\` ${none}`, examples: ['0x'] });

/** A microblock. */
export const MicroblockSchemaV1 = Type.Object(
  {
    canonical: Type.Boolean({ examples: [true], description: 'Whether the block before it is canonical' }),
    microblock_canonical: Type.Boolean({
      examples: [true],
      description: 'Whether a canonical block accepted it, or it follows the tip',
    }),
    microblock_hash: hash(),
    microblock_sequence: count('0 for the first on its block'),
    microblock_parent_hash: hash('Of the microblock or block before it'),
    block_height: count('One above the block before it'),
    parent_block_height: count(),
    parent_block_hash: hash(),
    parent_burn_block_hash: hashOrNone('if the block before it was never delivered'),
    parent_burn_block_time: whole('Unix seconds'),
    parent_burn_block_time_iso: isoTimestamp(),
    parent_burn_block_height: whole(),
    block_hash: hashOrNone('while no canonical block follows the same block'),
    txs: Type.Array(hash(), {
      description: 'Ids of its transactions, the last one first; none unless it is canonical',
    }),
  },
  { title: 'Microblock' },
);
