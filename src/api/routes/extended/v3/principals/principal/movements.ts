import type { Queries } from '../../../../../../base/store/database.ts';
import { invalidParameter } from '../../../../../http/errors.ts';
import { addressOrContract } from '../../../../../http/params.ts';
import { nullable, word } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { textForm } from '../../../../../http/validation.ts';
import { at, firstBlockAfter } from '../../../../../paging/as-of.ts';
import { MOVEMENT_CURSOR } from '../../../../../records/addresses/movement-lists.ts';
import { KOINLY, MovementSchemaV3, movementV3 } from '../../../../../records/addresses/movement-record.ts';
import {
  type HeightBounds,
  type Movement,
  pageOfMovements,
  placesOfMovements,
} from '../../../../../records/addresses/movements.ts';
import { tokensAfter } from '../../../../../records/token-balances/queries.ts';
import { findTokenContracts, fungibleTokens } from '../../../../../records/token-metadata/queries.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';
import { cursorQuery, readList } from '../../list.ts';

const LIMITS = { maximum: 200, default: 50 };

const day = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      ...textForm('^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,12})$', 'a day such as 2026-01-31, or Unix seconds'),
      description,
      examples: [example],
    }),
  );

/** A page of movements. It has no total, as that would need a read of the whole list. */
export const MovementsPageV3 = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, examples: [50], description: 'Records that the page can have' }),
    cursor: Type.Object({
      next: nullable(Type.String(), 'Of the page after this one; a page may have no rows though further ones follow'),
      current: nullable(Type.String(), 'Of this page: its first row'),
    }),
    results: Type.Array(MovementSchemaV3),
  },
  { title: 'MovementsPage' },
);

/** `/extended/v3/principals/{principal}/movements` (docs/spec/addresses.md#movements) */
export function addPrincipalMovementsRouteV3(api: Api, { db, metadata }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/movements',
    {
      config: { cache: 'none', presets: { koinly: KOINLY } },
      schema: {
        operationId: 'getPrincipalMovementsV3',
        summary: 'List what came to a principal and what left it',
        description:
          'All assets, the newest first: transfers, mints, burns, fees that it paid, and rewards of mining, each with the balance after it. ' +
          '`format=koinly` is a table with the columns of that program.',
        tags: ['Addresses'],
        params: Type.Object({ principal: addressOrContract(ADDRESS) }),
        querystring: Type.Object({
          ...cursorQuery(LIMITS, {
            pattern: MOVEMENT_CURSOR,
            description:
              '`<place of a transaction>:<event>`, `<place of a transaction>:fee`, or `<height>:reward:<number>`',
            example: '7:2147483647:1:fee',
          }),
          from: day(
            'Only blocks from the first one that is not earlier than this: a day (UTC), or Unix seconds.',
            '2023-11-14',
          ),
          to: day(
            'Only blocks below the first one that is later than this: a day with all its hours (UTC), or Unix seconds.',
            '2035-12-31',
          ),
          direction: Type.Optional(
            word(['in', 'out'], 'Only what came, or only what left, fees too; what it sent to itself is neither.'),
          ),
          at: at(),
        }),
        response: { 200: MovementsPageV3 },
      },
    },
    async ({ params: { principal }, query }, reply) => {
      const read = await readList(db, query, reply, async queries => {
        const page = await pageOfMovements(queries, principal, query, await spanOfDays(queries, query));
        return { page, ...(await factsOf(queries, principal, page.movements)) };
      });
      const { page, placeOf, balanceOf, contracts } = read;
      const tokens = await metadata.db.read(queries => fungibleTokens(queries, [...contracts.keys()]));
      const results = page.movements.flatMap(movement => {
        const { txId, block } = placeOf(movement);
        const asset = movement.event?.kind === 'ft' ? movement.event.asset : undefined;
        const facts = factsOfAsset(movement, asset, contracts, tokens);
        return block ? [movementV3(movement, principal, { txId, block, ...facts, balance: balanceOf(movement) })] : [];
      });
      return JSON.stringify({ limit: query.limit, cursor: { next: page.next, current: page.current }, results });
    },
  );
}

type Tokens = Awaited<ReturnType<typeof fungibleTokens>>;

/** Places, balances, and the first fungible asset of each contract whose token moved; only that asset has metadata. */
async function factsOf(queries: Queries, principal: string, movements: readonly Movement[]) {
  const afterOf = ({ item, event }: Movement) =>
    item.kind === 'reward' || event === undefined || event.kind === 'stx'
      ? []
      : [{ kind: event.kind, token: event.asset, tx: item.tx }];
  const tokenAfter = await tokensAfter(queries, principal, movements.flatMap(afterOf));
  const ids = movements.flatMap(({ event }) => (event?.kind === 'ft' ? [contractOf(event.asset)] : []));
  const contracts = await findTokenContracts(queries, [...new Set(ids)]);
  return {
    placeOf: await placesOfMovements(queries, movements),
    balanceOf: (movement: Movement): bigint => {
      const [token] = afterOf(movement);
      return token ? tokenAfter(token) : movement.stxAfter;
    },
    contracts: new Map([...contracts].map(([id, { ftAsset }]) => [id, ftAsset])),
  };
}

const contractOf = (asset: string): string => asset.split('::')[0] ?? '';

const STX = { symbol: 'STX', decimals: 6 };
const UNKNOWN = { symbol: null, decimals: null };

function factsOfAsset(
  { event }: Movement,
  asset: string | undefined,
  contracts: ReadonlyMap<string, string | null>,
  tokens: Tokens,
): { readonly symbol: string | null; readonly decimals: number | null } {
  if (event === undefined || event.kind === 'stx') return STX;
  if (asset === undefined) return UNKNOWN;
  const [contract = '', name] = asset.split('::');
  const token = contracts.get(contract) === name ? tokens.get(contract) : undefined;
  return token ? { symbol: token.symbol, decimals: token.decimals } : UNKNOWN;
}

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The heights of the blocks between two days or times. @throws ApiError 400 for a day that no month has */
async function spanOfDays(queries: Queries, { from, to }: Days): Promise<HeightBounds> {
  // Blocks are numbered from 0, heights from 1: the number of a block is the height of the one below it.
  const first = from === undefined ? undefined : await firstBlockAfter(queries, secondsOf('from', from, 0) - 1);
  const last = to === undefined ? undefined : await firstBlockAfter(queries, secondsOf('to', to, LAST_SECOND));
  const isNone = from !== undefined && first === undefined;
  return { first: isNone ? Number.MAX_SAFE_INTEGER : first === undefined ? undefined : first + 1, last };
}

const LAST_SECOND = 86_399;

/** The Unix seconds of a day or time. @param ofDay the second within the day, if the text is only a day */
function secondsOf(name: string, text: string, ofDay: number): number {
  if (!text.includes('-')) return Number(text);
  const midnight = Date.parse(`${text}T00:00:00Z`);
  // Parsers read 2026-02-30 as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== text)
    throw invalidParameter(`querystring/${name} must be a day such as 2026-01-31, or Unix seconds, not "${text}"`);
  return midnight / 1000 + ofDay;
}
