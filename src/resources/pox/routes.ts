import { Type } from 'typebox';
import { parsePrincipal } from '../../codec/index.ts';
import { badRequest, notFound } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { flag, integer, limit, offset, oneOf, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { fromHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { burnHeightAt, countBlocks } from '../blocks/queries.ts';
import { delegationsTo } from './delegation-queries.ts';
import { DelegationsPage, SignerSchema, SignersPage } from './schema.ts';
import { type Cycle, findCycle, findSigner, pageOfSigners } from './signer-queries.ts';

/** Signers of reward cycles and members of pools: getPoxCycleSigners, getPoxCycleSigner, getPoolDelegations (docs/spec/pox.md). */
export function addPoxRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers',
    {
      config: { cache: 'tip', response: SignersPage },
      schema: {
        params: Type.Object({ cycle_number: integer() }),
        querystring: Type.Object({ limit: limit(250, 100), offset: offset() }),
      },
    },
    request =>
      db.read(async queries => {
        const { limit, offset } = request.query;
        const cycle = await cycleOf(queries, request.params.cycle_number);
        return page({ limit, offset, total: cycle.signers }, await pageOfSigners(queries, cycle, { limit, offset }));
      }),
  );

  api.get(
    '/extended/v2/pox/cycles/:cycle_number/signers/:signer_key',
    {
      config: { cache: 'tip', response: SignerSchema },
      schema: { params: Type.Object({ cycle_number: integer(), signer_key: text() }) },
    },
    request =>
      db.read(async queries => {
        const { cycle_number, signer_key } = request.params;
        const cycle = await cycleOf(queries, cycle_number);
        const key = fromHex(signer_key);
        if (!key) throw badRequest('Invalid signer key: it must be an even number of hex digits');
        const signer = await findSigner(queries, cycle, key);
        if (signer === undefined) throw notFound('Not found');
        return signer;
      }),
  );

  // Any other first segment is a route that does not exist; of these, three are known to the schema.
  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/:pool_principal/delegations',
    {
      config: { cache: 'tip', response: DelegationsPage },
      schema: {
        params: Type.Object({ pox: oneOf(['pox2', 'pox3', 'pox4']), pool_principal: text() }),
        querystring: Type.Object({
          limit: limit(200, 100),
          offset: offset(),
          after_block: Type.Optional(integer({ minimum: 1 })),
          height: Type.Optional(integer({ minimum: 1 })),
          unanchored: flag(),
        }),
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

async function cycleOf(queries: Queries, number: number): Promise<Cycle> {
  const cycle = await findCycle(queries, number);
  if (!cycle) throw notFound('PoX cycle not found');
  return cycle;
}

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
