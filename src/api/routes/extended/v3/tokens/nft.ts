import { encodeClarityUint } from '../../../../../base/codec/index.ts';
import { hexBytes, toHex } from '../../../../../base/lib/hex.ts';
import type { Queries } from '../../../../../base/store/database.ts';
import { reprOf } from '../../../../../index/transactions/record.ts';
import { badRequest, notFound } from '../../../../http/errors.ts';
import { assetIdentifier } from '../../../../http/params.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { textForm } from '../../../../http/validation.ts';
import { cursorPage, cursorPageOf, cursorPageOfRecords } from '../../../../paging/cursor-page.ts';
import {
  type Collection,
  type CollectionPosition,
  collectionsFrom,
  findCollection,
  itemsFrom,
} from '../../../../records/nft/collections.ts';
import { pageOfTokenHistory, tokenHistoryV3 } from '../../../../records/nft/history.ts';
import { CollectionSchemaV3, ItemSchemaV3, TokenHistorySchemaV3 } from '../../../../records/nft/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { NFT_CONTRACT } from '../../../examples.ts';
import { cursorQuery, eventQuery, readList } from '../list.ts';

const LIMITS = { maximum: 200, default: 50 };

/** `/extended/v3/tokens/nft` (docs/spec/nft.md#collections, docs/spec/nft.md#history) */
export function addNftRoutesV3(api: Api, context: ApiContext): void {
  addCollectionRoutes(api, context);
  addHistoryRoute(api, context);
}

const collectionParams = () =>
  Type.Object({ asset_identifier: assetIdentifier('`<contract id>::<asset name>`', `${NFT_CONTRACT}::ape`) });

const collectionRecord = ({ asset, items, owners, mints }: Collection) => ({
  asset_identifier: asset,
  items,
  owners,
  mints,
});

function addCollectionRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/tokens/nft',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getNftCollectionsV3',
        summary: 'List the collections of non-fungible tokens',
        description: 'Those with most owners first; also what microblocks on the tip did.',
        tags: ['Tokens'],
        querystring: Type.Object(
          cursorQuery(LIMITS, {
            pattern: '^[0-9]+:.+$',
            description: '`<owners>:<asset identifier>`',
            example: `1000:${NFT_CONTRACT}::ape`,
          }),
        ),
        response: { 200: cursorPageOf(CollectionSchemaV3, 'NftCollectionsPage') },
      },
    },
    ({ query }, reply) =>
      readList(db, query, reply, async queries =>
        cursorPage(await collectionsFrom(queries, query.limit, collectionPosition(query.cursor)), collectionRecord),
      ),
  );

  api.get(
    '/extended/v3/tokens/nft/:asset_identifier',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getNftCollectionV3',
        summary: 'Get a collection of non-fungible tokens',
        tags: ['Tokens'],
        params: collectionParams(),
        response: { 200: CollectionSchemaV3, 404: failure('No event has named such an asset') },
      },
    },
    ({ params }) =>
      db.read(async queries => JSON.stringify(collectionRecord(await collectionOf(queries, params.asset_identifier)))),
  );

  api.get(
    '/extended/v3/tokens/nft/:asset_identifier/items',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getNftItemsV3',
        summary: 'List the tokens of a collection with their owners',
        description: 'Those that exist, by the bytes of their value.',
        tags: ['Tokens'],
        params: collectionParams(),
        querystring: Type.Object(
          cursorQuery(LIMITS, {
            pattern: '^0x([0-9a-fA-F]{2})*$',
            description: '`<value in hex>`',
            example: '0x0100000000000000000000000000000001',
          }),
        ),
        response: {
          200: cursorPageOf(ItemSchemaV3, 'NftItemsPage'),
          404: failure('No event has named such an asset'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const collection = await collectionOf(queries, params.asset_identifier);
        const from = query.cursor === undefined ? undefined : hexBytes(query.cursor.toLowerCase());
        return cursorPage(await itemsFrom(queries, collection, query.limit, from, toHex), ({ token, owner }) => {
          const hex = toHex(token);
          return { value: { hex, repr: reprOf(hex) }, owner };
        });
      }),
  );
}

/** @throws ApiError 404 */
async function collectionOf(queries: Queries, asset: string): Promise<Collection> {
  const collection = await findCollection(queries, asset);
  if (!collection) throw notFound('No event has named such a collection');
  return collection;
}

/** The place that a cursor names. */
function collectionPosition(cursor: string | undefined): CollectionPosition | undefined {
  if (cursor === undefined) return undefined;
  const colon = cursor.indexOf(':');
  return { owners: Math.min(Number(cursor.slice(0, colon)), Number.MAX_SAFE_INTEGER), asset: cursor.slice(colon + 1) };
}

function addHistoryRoute(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/tokens/nft/:asset_identifier/:value/history',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNftInstanceHistoryV3',
        summary: 'List the history of a non-fungible token by cursor',
        description: 'Newest first: mints, transfers and burns, also those of a microblock on the tip.',
        tags: ['Tokens'],
        params: Type.Object({
          asset_identifier: assetIdentifier('`<contract id>::<asset name>`', `${NFT_CONTRACT}::ape`),
          value: Type.String({
            ...textForm('^([0-9]{1,39}|0x([0-9a-fA-F]{2})+)$', 'a number, or the hex of a Clarity value with 0x'),
            description: 'The identifier of the token: a number for a `uint`, or any Clarity value, serialised.',
            examples: ['1'],
          }),
        }),
        querystring: eventQuery('22:2147483647:0:1', { maximum: 200, default: 50 }),
        response: { 200: cursorPageOf(TokenHistorySchemaV3, 'NftInstanceHistoryPage') },
      },
    },
    ({ params, query }, reply) => {
      const token = tokenOf(params.value);
      return readList(db, query, reply, async queries => {
        const key = { asset: params.asset_identifier, token };
        const page = await pageOfTokenHistory(queries, key, query);
        return cursorPageOfRecords(page, await tokenHistoryV3(queries, page.rows));
      });
    },
  );
}

const ABOVE_UINT = 1n << 128n;

/** The serialised value. @throws ApiError 400 for a number that no `uint` is */
function tokenOf(value: string): Uint8Array {
  if (value.startsWith('0x')) return hexBytes(value.toLowerCase());
  if (BigInt(value) >= ABOVE_UINT) throw badRequest('Token id is larger than the maximum Clarity uint');
  return encodeClarityUint(BigInt(value));
}
