import { count, hash, hexString, isoTimestamp, nullable, pageOf, unixTime, whole } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { costProperties } from '../transactions/schema.ts';

/** The first members of both forms of a block. */
const identity = {
  canonical: Type.Boolean({ examples: [true], description: 'Whether the block is on the chain of the tip' }),
  height: Type.Integer({ minimum: 1 }),
  hash: hash(),
  block_time: unixTime(),
  block_time_iso: isoTimestamp(),
  tenure_height: whole('Tenures up to this block; -1 when it is not known'),
  index_block_hash: hash('The only hash that differs between blocks of different forks'),
  parent_block_hash: hash(),
};

const burnBlock = {
  burn_block_time: unixTime(),
  burn_block_time_iso: isoTimestamp(),
  burn_block_hash: hash(),
  burn_block_height: count(),
  miner_txid: hash('Transaction of the miner on the burn chain'),
};

/** A block. */
export const BlockSchemaV2 = Type.Object(
  {
    ...identity,
    parent_index_block_hash: hash(),
    ...burnBlock,
    tx_count: count('With those of accepted microblocks'),
    ...costProperties,
  },
  { title: 'Block' },
);

/** A page of blocks by cursors. */
export const BlocksPageV2 = pageOf(BlockSchemaV2, 'BlocksPage', {
  next_cursor: nullable(hash(), 'Of the page nearer the tip; null on the one at the tip'),
  prev_cursor: nullable(hash(), 'Of the page nearer genesis'),
  cursor: nullable(hash(), 'Of this page: its first block'),
});

/** A page of the signatures of a block. */
export const SignaturesPageV2 = pageOf(hexString('Of a signer', 65), 'SignaturesPage');

const average = (of: string) =>
  Type.Number({
    minimum: 0,
    examples: [9.87],
    description: `Mean seconds between the blocks of ${of}; 0 for fewer than two`,
  });

/** Average times between blocks. */
export const AverageBlockTimesSchemaV2 = Type.Object(
  {
    last_1h: average('the last hour'),
    last_24h: average('the last 24 hours'),
    last_7d: average('the last 7 days'),
    last_30d: average('the last 30 days'),
  },
  { title: 'AverageBlockTimes' },
);

/** A block in the older form of version 1. */
export const BlockSchemaV1 = Type.Object(
  {
    ...identity,
    height: count('0 for the boot block alone'),
    ...burnBlock,
    ...costProperties,
    txs: Type.Array(hash(), { description: 'Transaction ids, newest first' }),
    parent_microblock_hash: Type.Union([hash(), Type.Literal('')], {
      description: 'Empty when the block builds on no microblock',
    }),
    parent_microblock_sequence: Type.Integer({
      minimum: -1,
      examples: [-1],
      description: '-1 when the block builds on no microblock',
    }),
    microblocks_accepted: Type.Array(hash()),
    microblocks_streamed: Type.Array(hash(), { description: 'Those that follow the block' }),
    microblock_tx_count: Type.Object(
      {},
      {
        additionalProperties: count(),
        description: 'Transactions of each accepted microblock, by its hash',
        examples: [{}],
      },
    ),
  },
  { title: 'BlockV1' },
);
