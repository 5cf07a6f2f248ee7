import { Type } from 'typebox';
import { parsePrincipal } from '../../../codec/index.ts';
import { badRequest, notFound } from '../../../http/errors.ts';
import { page } from '../../../http/page.ts';
import { flag, integer, limit, offset, oneOf, text } from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { burnHeightAt, countBlocks } from '../../../resources/blocks/queries.ts';
import { delegationsTo } from '../../../resources/pox/delegation-queries.ts';
import { DelegationSchema } from '../../../resources/pox/schema.ts';
import type { Queries } from '../../../store/database.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v1/pox2`, `/extended/v1/pox3`, `/extended/v1/pox4` (docs/spec/pox.md) */
export function addPoxV1Routes(api: Api, { db }: ApiContext): void {
  // Any other first segment is a route that does not exist; of these, three are known to the schema.
  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/:pool_principal/delegations',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoolDelegations',
        summary: 'List the members of a stacking pool',
        description: 'Newest first: the last delegation of each, while it is neither revoked nor expired.',
        tags: ['Stacking'],
        params: Type.Object({
          pox: oneOf('Version of PoX.', ['pox2', 'pox3', 'pox4'], undefined, 'pox4'),
          pool_principal: text('The pool: an address, or the id of a contract.', POOL),
        }),
        querystring: Type.Object({
          limit: limit(200, 100),
          offset: offset(),
          after_block: Type.Optional(integer('Only delegations in blocks above this height.', { minimum: 1 }, 10)),
          height: Type.Optional(integer('As it was at this height.', { minimum: 1 }, 150)),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
        }),
        response: {
          200: pageOf(DelegationSchema, 'PoxDelegationsPage'),
          404: failure('There is no block of this height, or no such version of PoX'),
        },
      },
    },
    async request => {
      const { limit, offset, after_block: afterHeight = 0, height, unanchored } = request.query;
      const pool = poolOf(request.params.pool_principal);
      const contract = request.params.pox.replace('pox', 'pox-');
      return db.read(async queries => {
        const evaluation = await evaluationOf(queries, height, unanchored);
        const { total, records } = await delegationsTo(queries, {
          contract,
          pool,
          afterHeight,
          ...evaluation,
          limit,
          offset,
        });
        return page({ limit, offset, total }, records);
      });
    },
  );
}

const POOL = 'ST4A4R3HBANCV0FF8HXTEARTCB0RHAV1NQ2WMHPG';

/** The pool in its canonical spelling. */
function poolOf(given: string): string {
  const principal = parsePrincipal(given);
  if (!principal) throw badRequest(`invalid STX address "${given}"`);
  const { address, contractName } = principal;
  return contractName === null ? address : `${address}.${contractName}`;
}

/** At which point of the chain delegations are looked at; those of microblocks on the tip are one above it. */
async function evaluationOf(queries: Queries, height: number | undefined, unanchored: boolean) {
  const at = height ?? (await countBlocks(queries));
  const burnHeight = await burnHeightAt(queries, at);
  if (burnHeight === undefined) throw notFound(`no block at height: ${at}`);
  return { upToHeight: height === undefined && unanchored ? at + 1 : at, burnHeight };
}
