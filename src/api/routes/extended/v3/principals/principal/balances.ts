import { fromHex, toHex } from '../../../../../../base/lib/hex.ts';
import { reprOf } from '../../../../../../index/transactions/record.ts';
import { addressOrContract, assetIdentifier } from '../../../../../http/params.ts';
import { amount, assetId, ClarityValueSchema, count, hash, nullable } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, pageOfRows } from '../../../../../paging/cursor-page.ts';
import { principalStx } from '../../../../../records/addresses/balance.ts';
import { stxHistory } from '../../../../../records/addresses/stx-history.ts';
import { momentOf } from '../../../../../records/blocks/moment.ts';
import { pendingSumsOfPayer } from '../../../../../records/mempool/queries.ts';
import { type OwnedPosition, ownedAround } from '../../../../../records/nft/holdings.ts';
import {
  balanceOfToken,
  type HeldPosition,
  type HeldToken,
  heldTokensAround,
} from '../../../../../records/token-balances/queries.ts';
import { BitcoinBlockPositionSchemaV3, BlockPositionSchemaV3 } from '../../../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, FT_CONTRACT, NFT_CONTRACT } from '../../../../examples.ts';
import { cursorQuery, tellFork } from '../../list.ts';

const LIMITS = { maximum: 200, default: 100 };

export const StxPositionSchemaV3 = Type.Object(
  {
    balance: amount('Micro-STX, locked ones included', true),
    available: amount('Without what is locked', true),
    locked: nullable(
      Type.Object({
        amount: amount(),
        pox_version: Type.Integer({ minimum: 1, examples: [4] }),
        lock_tx_id: hash(),
        stacks_lock_height: count(),
        burn_lock_height: count(),
        burn_unlock_height: count(),
      }),
    ),
    mempool: nullable(
      Type.Object({ estimated_balance: amount('What will be available', true), inbound: amount(), outbound: amount() }),
      'Null where nothing is pending',
    ),
  },
  { title: 'StxPosition' },
);

export const StxHistorySchemaV3 = Type.Object(
  {
    balance: amount('Of now, in micro-STX', true),
    results: Type.Array(
      Type.Object(
        {
          tx_id: hash(),
          block: BlockPositionSchemaV3,
          bitcoin_block: BitcoinBlockPositionSchemaV3,
          balance: amount('After the transaction, with rewards of mining up to its block', true),
        },
        { title: 'StxHistoryPoint' },
      ),
    ),
  },
  { title: 'StxHistory' },
);

export const FtPositionSchemaV3 = Type.Object(
  { asset_identifier: assetId(), balance: amount('In the smallest unit', true) },
  { title: 'FtPosition' },
);

export const NftPositionSchemaV3 = Type.Object(
  { asset_identifier: assetId(), value: ClarityValueSchema },
  { title: 'NftPosition' },
);

const params = () => Type.Object({ principal: addressOrContract(ADDRESS) });

/** `/extended/v3/principals/{principal}/balances` (docs/spec/addresses.md#version-3) */
export function addPrincipalBalanceRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/balances/stx',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getPrincipalBalancesStxV3',
        summary: 'Get the STX of a principal',
        tags: ['Addresses'],
        params: params(),
        querystring: PAST_QUERY,
        response: { 200: StxPositionSchemaV3 },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { principal } = request.params;
        return JSON.stringify(await principalStx(queries, principal, await pendingSumsOfPayer(queries, principal)));
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/balances/stx/history',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getPrincipalStxHistoryV3',
        summary: 'Get the STX of a principal over time',
        description:
          'What it had after some of its transactions, at even distances along their list, the oldest first.',
        tags: ['Addresses'],
        params: params(),
        querystring: Type.Object({
          points: Type.Integer({ minimum: 1, maximum: 200, default: 100, description: 'Transactions, at most.' }),
          at: at(),
        }),
        response: { 200: StxHistorySchemaV3 },
      },
    },
    request =>
      readAsOf(db, request, async queries =>
        JSON.stringify(await stxHistory(queries, request.params.principal, request.query.points)),
      ),
  );

  api.get(
    '/extended/v3/principals/:principal/balances/ft',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalBalancesFtV3',
        summary: 'List the fungible tokens of a principal',
        description: 'Tokens with a balance, the greatest balance first.',
        tags: ['Addresses'],
        params: params(),
        querystring: Type.Object({
          ...cursorQuery(LIMITS, {
            pattern: '^[0-9]+:.+$',
            description: '`<balance>:<asset identifier>`',
            example: `3416200743:${FT_CONTRACT}::tokena`,
          }),
          at: at(),
        }),
        response: { 200: cursorPageOf(FtPositionSchemaV3, 'FtPositionsPage') },
      },
    },
    (request, reply) =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        await tellFork(queries, request.query, reply);
        const { cursor, limit } = request.query;
        const place = cursor === undefined ? undefined : heldPosition(cursor);
        const { total, from, before } = await heldTokensAround(queries, budget, request.params.principal, {
          place,
          limit,
        });
        const cursorOf = ({ balance, token }: HeldToken) => `${balance}:${token}`;
        const page = pageOfRows({ total, limit, rows: from, before: before.at(-1), cursorOf });
        return cursorPage(page, ({ token, balance }) => ({ asset_identifier: token, balance }));
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/balances/ft/:asset_identifier',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalBalanceFtV3',
        summary: 'Get the balance of a fungible token',
        tags: ['Addresses'],
        params: Type.Object({
          principal: addressOrContract(ADDRESS),
          asset_identifier: assetIdentifier('The token.', `${FT_CONTRACT}::tokena`),
        }),
        querystring: PAST_QUERY,
        response: { 200: FtPositionSchemaV3 },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { principal, asset_identifier } = request.params;
        const tip = await momentOf(queries, { unanchored: false });
        const balance = await balanceOfToken(queries, principal, asset_identifier, tip);
        return JSON.stringify({ asset_identifier, balance: String(balance) });
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/balances/nft',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalBalancesNftV3',
        summary: 'List the non-fungible tokens of a principal',
        description: 'By asset identifier, then by the bytes of the value.',
        tags: ['Addresses'],
        params: params(),
        querystring: Type.Object({
          asset_identifier: Type.Optional(
            assetIdentifier(
              'Only tokens of this class: then `total` and cursors are of these.',
              `${NFT_CONTRACT}::ape`,
            ),
          ),
          ...cursorQuery(LIMITS, {
            pattern: '^0x([0-9a-fA-F]{2})*:.+$',
            description: '`<value in hex>:<asset identifier>`',
            example: `0x0100000000000000000000000000000061:${NFT_CONTRACT}::ape`,
          }),
          at: at(),
        }),
        response: { 200: cursorPageOf(NftPositionSchemaV3, 'NftPositionsPage') },
      },
    },
    (request, reply) =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        await tellFork(queries, request.query, reply);
        const { principal: owner } = request.params;
        const { cursor, limit, asset_identifier: asset } = request.query;
        const place = cursor === undefined ? undefined : ownedPosition(cursor);
        const { total, from, before } = await ownedAround(queries, budget, { owner, asset }, { place, limit });
        const cursorOf = ({ token, asset }: OwnedPosition) => `${toHex(token)}:${asset}`;
        const page = pageOfRows({ total, limit, rows: from, before: before.at(-1), cursorOf });
        return cursorPage(page, ({ asset, token }) => {
          const hex = toHex(token);
          return { asset_identifier: asset, value: { hex, repr: reprOf(hex) } };
        });
      }),
  );
}

/** No balance is greater; a cursor may have any number. */
const GREATEST = 2n ** 1000n;

function heldPosition(cursor: string): HeldPosition {
  const colon = cursor.indexOf(':');
  const balance = BigInt(cursor.slice(0, colon));
  return { balance: balance > GREATEST ? GREATEST : balance, token: cursor.slice(colon + 1) };
}

function ownedPosition(cursor: string): OwnedPosition {
  const colon = cursor.indexOf(':');
  return { token: fromHex(cursor.slice(0, colon).toLowerCase()) ?? new Uint8Array(), asset: cursor.slice(colon + 1) };
}
