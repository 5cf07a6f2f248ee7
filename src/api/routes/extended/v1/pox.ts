import type { FastifyReply, FastifyRequest } from 'fastify';
import { quoted } from '../../../../base/lib/app-error.ts';
import { fromHex, toHex } from '../../../../base/lib/hex.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { burnHeightAt, countBlocks } from '../../../../index/blocks/canonical-chain.ts';
import { positionOfTransaction } from '../../../../index/transactions/positions.ts';
import { redirect } from '../../../http/conventions.ts';
import { ApiError, badRequest, notFound } from '../../../http/errors.ts';
import { flag, integer, limit, offset, oneOf, principalParam, text } from '../../../http/params.ts';
import { failure, pageOf, pageWithoutTotal } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { delegationsTo } from '../../../records/pox/delegation-queries.ts';
import { eventsOfStacker, pageOfPoxEvents, poxEventsOfTransaction } from '../../../records/pox/event-queries.ts';
import { DelegationSchemaV1, PoxEventSchemaV1, PoxEventsSchemaV1 } from '../../../records/pox/schema.ts';
import { isOrphaned } from '../../../records/transactions/orphaned.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v1/pox2`, `/extended/v1/pox3`, `/extended/v1/pox4` (docs/spec/pox.md) */
export function addPoxRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  const pox = oneOf('Version of PoX.', ['pox2', 'pox3', 'pox4'], undefined, 'pox4');
  // The schema knows three versions of PoX; with any other first segment the route does not exist.
  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/:pool_principal/delegations',
    {
      config: { successor: '/extended/v3/staking/signers/{signer}/stakers', cache: 'tip' },
      schema: {
        operationId: 'getPoolDelegationsV1',
        deprecated: true,
        summary: 'List the members of a stacking pool',
        description: 'Newest first: the last delegation of each, while it is neither revoked nor expired.',
        tags: ['Stacking'],
        params: Type.Object({
          pox,
          pool_principal: principalParam('The pool: an address, or the id of a contract.', POOL),
        }),
        querystring: Type.Object({
          limit: limit(200, 100),
          offset: offset(),
          after_block: Type.Optional(integer('Only delegations in blocks above this height.', { minimum: 1 }, 10)),
          height: Type.Optional(integer('As it was at this height.', { minimum: 1 }, 150)),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
          at: at(),
        }),
        response: {
          200: pageOf(DelegationSchemaV1, 'PoxDelegationsPage'),
          404: failure('There is no block of this height, or no such version of PoX'),
        },
      },
    },
    async request => {
      const { limit, offset, after_block: afterHeight = 0, height, unanchored } = request.query;
      const contract = contractOf(request.params.pox);
      return readLongAsOf(longReads, request, async (queries, budget) => {
        const pool = request.params.pool_principal;
        const evaluation = await evaluationOf(queries, height, unanchored);
        const query = { contract, pool, afterHeight, ...evaluation, limit, offset };
        const { total, records } = await delegationsTo(queries, query, budget);
        return page({ limit, offset, total }, records);
      });
    },
  );

  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxEventsV1',
        deprecated: true,
        summary: 'List the events of a PoX contract',
        description: 'Newest first.',
        tags: ['Stacking'],
        params: Type.Object({ pox }),
        querystring: Type.Object({ limit: limit(200, 96), offset: offset(), at: at() }),
        response: { 200: pageWithoutTotal(PoxEventSchemaV1, 'PoxEventsPage'), 404: failure('No such version of PoX') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const contract = contractOf(request.params.pox);
      return page(
        { limit, offset },
        await readAsOf(db, request, queries => pageOfPoxEvents(queries, contract, { limit, offset })),
      );
    },
  );

  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/tx/:tx_id',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPoxEventsByTransactionV1',
        deprecated: true,
        summary: 'List the PoX events of a transaction',
        description: 'The last event first; none of a transaction in an orphaned block or a lost microblock.',
        tags: ['Stacking'],
        params: Type.Object({ pox, tx_id: text('Transaction id, with `0x`.', TX_ID) }),
        querystring: PAST_QUERY,
        response: {
          200: PoxEventsSchemaV1,
          404: failure('Neither a block nor a microblock has this transaction, or no such version of PoX'),
        },
      },
    },
    async request => {
      const txId = bytesOf(request.params.tx_id);
      const id = toHex(txId);
      const contract = contractOf(request.params.pox);
      const records = await readAsOf(db, request, async queries =>
        (await positionOfTransaction(queries, id)) !== undefined || (await isOrphaned(queries, id))
          ? poxEventsOfTransaction(queries, contract, txId)
          : undefined,
      );
      if (!records) throw notFound('could not find transaction by ID');
      return results(records);
    },
  );

  api.get(
    '/extended/v1/:pox(^pox[0-9]$)/stacker/:principal',
    {
      config: { successor: '/extended/v3/principals/{principal}/staking', cache: 'tip' },
      schema: {
        operationId: 'getPoxEventsByStackerV1',
        deprecated: true,
        summary: 'List the events of a PoX contract for a stacker',
        description: `Newest first. All of them without \`limit\`, if these are at most ${MOST_AT_ONCE}.`,
        tags: ['Stacking'],
        params: Type.Object({ pox, principal: principalParam('The stacker, or the operator of a pool.', POOL) }),
        querystring: Type.Object({
          limit: Type.Optional(integer('Records of the page.', { minimum: 0, maximum: MOST_AT_ONCE }, 20)),
          offset: offset(),
          at: at(),
        }),
        response: { 200: PoxEventsSchemaV1, 404: failure('No such version of PoX') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { limit, offset } = request.query;
        const contract = contractOf(request.params.pox);
        const { total, part } = await eventsOfStacker(queries, contract, request.params.principal);
        if (limit === undefined && total - offset > MOST_AT_ONCE) throw tooMany(total);
        return results(await part({ offset, limit: limit ?? MOST_AT_ONCE }));
      }),
  );

  const toPlainName = (request: FastifyRequest, reply: FastifyReply) =>
    redirect(reply, 302, request.url.replace('_events/', '/'));
  for (const version of ['pox2', 'pox3', 'pox4']) api.get(`/extended/v1/${version}_events/*`, toPlainName);
}

/** Most events of a stacker in a response without paging parameters. */
const MOST_AT_ONCE = 1000;

const tooMany = (total: number): ApiError =>
  new ApiError(400, `The stacker has ${total} events; at most ${MOST_AT_ONCE} are sent at once`, {
    code: 'RESPONSE_TOO_LARGE',
    hint: 'Ask for parts of the list with limit and offset.',
  });

const contractOf = (pox: string): string => pox.replace('pox', 'pox-');

const results = (records: readonly string[]): string => `{"results":[${records.join(',')}]}`;

function bytesOf(txId: string): Uint8Array {
  const bytes = /^0x/i.test(txId) ? fromHex(txId) : undefined;
  if (bytes) return bytes;
  throw badRequest(`params/tx_id must be 0x and hex digits, two for each byte, not ${quoted(txId)}`);
}

const TX_ID = '0x39c95938662cdd3da7a1446409aa6b008353a390fbf7452da1b1253a5ca9a58f';

const POOL = 'ST4A4R3HBANCV0FF8HXTEARTCB0RHAV1NQ2WMHPG';

/**
 * The point of the chain at which delegations are evaluated. It is one above the tip if delegations of unanchored microblocks count.
 */
async function evaluationOf(queries: Queries, height: number | undefined, unanchored: boolean) {
  const at = height ?? (await countBlocks(queries));
  const burnHeight = await burnHeightAt(queries, at);
  if (burnHeight === undefined) throw notFound(`no block at height: ${at}`);
  return { upToHeight: height === undefined && unanchored ? at + 1 : at, burnHeight };
}
