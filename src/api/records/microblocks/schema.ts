import { Type } from 'typebox';
import { count, hash, isoTimestamp, whole } from '../../http/schema.ts';

const hashOrNone = (none: string) =>
  Type.Union([hash(), Type.Literal('0x')], { description: `\`0x\` ${none}`, examples: ['0x'] });

/** A microblock. */
export const MicroblockSchema = Type.Object(
  {
    canonical: Type.Boolean({ examples: [true], description: 'Whether the block it stands on is canonical' }),
    microblock_canonical: Type.Boolean({
      examples: [true],
      description: 'Whether a canonical block accepted it, or it stands on the tip',
    }),
    microblock_hash: hash(),
    microblock_sequence: count('0 for the first on its block'),
    microblock_parent_hash: hash('Of the microblock before it, or of the block it stands on'),
    block_height: count('One above the block it stands on'),
    parent_block_height: count(),
    parent_block_hash: hashOrNone('when nobody delivered the block it stands on'),
    parent_burn_block_hash: hashOrNone('when nobody delivered the block it stands on'),
    parent_burn_block_time: whole('Unix seconds'),
    parent_burn_block_time_iso: isoTimestamp(),
    parent_burn_block_height: whole(),
    block_hash: hashOrNone('while no canonical block stands on the same block'),
    txs: Type.Array(hash(), {
      description: 'Ids of its transactions, the last one first; none unless it is canonical',
    }),
  },
  { title: 'Microblock' },
);
