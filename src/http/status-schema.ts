import Type from 'typebox';
import { count, hash, nullable } from './schema.ts';

const unlockHeight = (version: number) =>
  Type.Optional(
    nullable(count(), `Burn block height at which locks of PoX ${version} end; null while it is not known`),
  );

/** `GET /extended`. While the database is away there are only the first two members. */
export const StatusSchema = Type.Object(
  {
    server_version: Type.String({ examples: ['stacks-index v0.1.0'] }),
    status: Type.Literal('ready'),
    pox_v1_unlock_height: unlockHeight(1),
    pox_v2_unlock_height: unlockHeight(2),
    pox_v3_unlock_height: unlockHeight(3),
    chain_tip: Type.Optional(
      Type.Object(
        {
          block_height: Type.Integer({ minimum: 1 }),
          block_hash: hash(),
          index_block_hash: hash(),
          burn_block_height: count(),
          microblock_hash: Type.Optional(hash('Of the last microblock on the tip')),
          microblock_sequence: Type.Optional(count()),
        },
        { title: 'ChainTip', description: 'Absent while the index is empty' },
      ),
    ),
    lag: Type.Optional(count('Events that were accepted and are not in the index yet')),
    gaps: Type.Optional(
      Type.Array(Type.Object({ height: count(), missing_parent: hash('Index block hash') }), {
        description: 'Blocks that wait for their parent',
        examples: [[]],
      }),
    ),
  },
  { title: 'Status' },
);
