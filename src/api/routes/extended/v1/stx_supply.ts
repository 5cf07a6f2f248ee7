import type { FastifyReply, FastifyRequest } from 'fastify';
import { countBlocks } from '../../../../index/blocks/canonical-chain.ts';
import { flag, integer, MAX_INTEGER } from '../../../http/params.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, type PastQuery, readAsOf } from '../../../paging/as-of.ts';
import { inStx, inStxWithCommas, stxSupplyAt } from '../../../records/supply/queries.ts';
import { LegacyStxSupplySchemaV1, PlainStxSchemaV1, StxSupplySchemaV1 } from '../../../records/supply/schema.ts';
import type { ApiContext } from '../../context.ts';

/** The supply planned for the year 2050, in micro-STX. */
const YEAR_2050 = 2_318_000_000_000_000n;

interface SupplyQuery {
  readonly height?: number;
  readonly unanchored?: boolean;
}

/** `/extended/v1/stx_supply` (docs/spec/supply.md) */
export function addStxSupplyRoutesV1(api: Api, { db }: ApiContext): void {
  const supplyAt = (
    request: FastifyRequest<{ Querystring: PastQuery }>,
    { height, unanchored = false }: SupplyQuery = {},
  ) =>
    readAsOf(db, request, async queries => {
      const at = height ?? (await countBlocks(queries)) + (unanchored ? 1 : 0);
      return { height: at, supply: await stxSupplyAt(queries, at) };
    });
  const querystring = Type.Object({
    height: Type.Optional(
      integer('The supply at this height, in place of the newest.', { minimum: 0, maximum: MAX_INTEGER }, 100),
    ),
    unanchored: flag('With what unanchored microblocks did.'),
    at: at(),
  });

  api.get(
    '/extended/v1/stx_supply',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStxSupplyV1',
        summary: 'Get the supply of STX',
        tags: ['Status'],
        deprecated: true,
        querystring,
        response: { 200: StxSupplySchemaV1 },
      },
    },
    async request => {
      const { height, supply } = await supplyAt(request, request.query);
      return JSON.stringify({
        unlocked_percent: unlockedPercent(supply),
        total_stx: inStx(supply),
        total_stx_year_2050: inStx(YEAR_2050),
        unlocked_stx: inStx(supply),
        block_height: height,
      });
    },
  );

  api.get(
    '/extended/v1/stx_supply/legacy_format',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTotalStxSupplyLegacyFormatV1',
        summary: 'Get the supply of STX in an older form',
        tags: ['Status'],
        deprecated: true,
        querystring,
        response: { 200: LegacyStxSupplySchemaV1 },
      },
    },
    async request => {
      const { height, supply } = await supplyAt(request, request.query);
      return JSON.stringify({
        unlockedPercent: unlockedPercent(supply),
        totalStacks: inStx(supply),
        totalStacksFormatted: inStxWithCommas(supply),
        totalStacksYear2050: inStx(YEAR_2050),
        totalStacksYear2050Formatted: inStxWithCommas(YEAR_2050),
        unlockedSupply: inStx(supply),
        unlockedSupplyFormatted: inStxWithCommas(supply),
        blockHeight: String(height),
      });
    },
  );

  const plain = { cache: 'tip', mediaType: 'text/plain' } as const;
  const sendPlain = async (request: FastifyRequest<{ Querystring: PastQuery }>, reply: FastifyReply) => {
    const { supply } = await supplyAt(request);
    reply.header('content-type', 'text/plain');
    return inStx(supply);
  };

  api.get(
    '/extended/v1/stx_supply/total/plain',
    {
      config: plain,
      schema: {
        operationId: 'getStxSupplyTotalSupplyPlainV1',
        summary: 'Get the supply of STX as plain text',
        tags: ['Status'],
        deprecated: true,
        querystring: PAST_QUERY,
        response: { 200: PlainStxSchemaV1 },
      },
    },
    sendPlain,
  );

  api.get(
    '/extended/v1/stx_supply/circulating/plain',
    {
      config: plain,
      schema: {
        operationId: 'getStxSupplyCirculatingPlainV1',
        summary: 'Get the unlocked supply of STX as plain text',
        tags: ['Status'],
        deprecated: true,
        querystring: PAST_QUERY,
        response: { 200: PlainStxSchemaV1 },
      },
    },
    sendPlain,
  );
}

/** A share of the supply in itself: not a number for a supply of zero, as recorded. */
const unlockedPercent = (supply: bigint): string => (supply === 0n ? 'NaN' : '100.00');
