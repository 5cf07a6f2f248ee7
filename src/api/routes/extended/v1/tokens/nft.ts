import { hexBytes } from '../../../../../base/lib/hex.ts';
import type { Queries } from '../../../../../base/store/database.ts';
import { firstUnanchored } from '../../../../../index/blocks/canonical-chain.ts';
import { reprOf } from '../../../../../index/transactions/record.ts';
import {
  assetIdentifier,
  assetIdentifiers,
  flag,
  hexValue,
  limit,
  normalHash,
  offset,
  principalParam,
} from '../../../../http/params.ts';
import { spellAsset } from '../../../../http/principals.ts';
import { pageOf } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, readAsOf, readLongAsOf } from '../../../../paging/as-of.ts';
import { page } from '../../../../paging/page.ts';
import { historyOfToken, type NftEvent } from '../../../../records/nft/history.ts';
import { holdingsOf, type OwnedToken } from '../../../../records/nft/holdings.ts';
import {
  HoldingSchemaV1,
  HoldingWithTransactionSchemaV1,
  TokenEventSchemaV1,
  TokenEventWithTransactionSchemaV1,
} from '../../../../records/nft/schema.ts';
import { recordsAt } from '../../../../records/transactions/queries.ts';
import type { ApiContext } from '../../../context.ts';
import { ADDRESS, NFT_CONTRACT } from '../../../examples.ts';

/** `/extended/v1/tokens/nft` (docs/spec/nft.md) */
export function addNftRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  const tx_metadata = flag('Whether to show the whole transaction in place of its id.');
  const asset = `${NFT_CONTRACT}::ape`;

  api.get(
    '/extended/v1/tokens/nft/holdings',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNftHoldingsV1',
        deprecated: true,
        summary: 'List the non-fungible tokens of a principal',
        description: 'The one acquired last first, also by a microblock on the tip.',
        tags: ['Tokens'],
        querystring: Type.Object({
          principal: principalParam('Who owns them.', ADDRESS),
          asset_identifiers: Type.Optional(
            assetIdentifiers('Only tokens of these: `<contract id>::<asset name>`.', asset),
          ),
          limit: limit(200, 50),
          offset: offset(),
          at: at(),
          tx_metadata,
        }),
        response: { 200: pageOf(Type.Union([HoldingSchemaV1, HoldingWithTransactionSchemaV1]), 'NftHoldingsPage') },
      },
    },
    async request => {
      const { principal, asset_identifiers, limit, offset, tx_metadata } = request.query;
      return readLongAsOf(longReads, request, async (queries, budget) => {
        const assets = asset_identifiers?.map(spellAsset);
        const { total, tokens } = await holdingsOf(queries, budget, principal, assets, request.query);
        const transactions = await transactionsOf(queries, tokens, tx_metadata);
        return page(
          { limit, offset, total },
          tokens.map(token => withTransaction(holdingRecord(token), token, transactions)),
        );
      });
    },
  );

  api.get(
    '/extended/v1/tokens/nft/history',
    {
      config: { successor: '/extended/v3/tokens/nft/{asset_identifier}/{value}/history', cache: 'tip' },
      schema: {
        operationId: 'getNftHistoryV1',
        deprecated: true,
        summary: 'List the history of a non-fungible token',
        description: 'Newest first: mints, transfers and burns.',
        tags: ['Tokens'],
        querystring: Type.Object({
          asset_identifier: assetIdentifier('`<contract id>::<asset name>`', asset),
          value: hexValue('The Clarity value that identifies the token, serialised.', TOKEN),
          limit: limit(200, 50),
          offset: offset(),
          at: at(),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
          tx_metadata,
        }),
        response: {
          200: pageOf(Type.Union([TokenEventSchemaV1, TokenEventWithTransactionSchemaV1]), 'NftHistoryPage'),
        },
      },
    },
    async request => {
      const { asset_identifier, value, limit, offset, unanchored, tx_metadata } = request.query;
      const token = { asset: asset_identifier, token: hexBytes(normalHash(value)) };
      return readAsOf(db, request, async queries => {
        const txsBelow = unanchored ? undefined : await firstUnanchored(queries);
        const { total, events } = await historyOfToken(queries, token, { limit, offset }, txsBelow);
        const transactions = await transactionsOf(queries, events, tx_metadata);
        return page(
          { limit, offset, total },
          events.map(event => withTransaction(eventRecord(event), event, transactions)),
        );
      });
    },
  );
}

/** `u1`, serialised. */
const TOKEN = '0x0100000000000000000000000000000001';

/** The transactions by position, where they are to be shown. */
const transactionsOf = async (queries: Queries, of: readonly { readonly tx: number }[], isShown: boolean) =>
  isShown ? recordsAt(queries, [...new Set(of.map(({ tx }) => tx))]) : undefined;

function withTransaction(
  record: object,
  { tx, txId }: { readonly tx: number; readonly txId: string },
  transactions: ReadonlyMap<number, string> | undefined,
): string {
  const start = JSON.stringify(record).slice(0, -1);
  return transactions ? `${start},"tx":${transactions.get(tx)}}` : `${start},"tx_id":"${txId}"}`;
}

const holdingRecord = ({ asset, value, height }: OwnedToken) => ({
  asset_identifier: asset,
  value: { hex: value, repr: reprOf(value) },
  block_height: height,
});

const eventRecord = ({ index, sender, recipient }: NftEvent) => ({
  event_index: index,
  asset_event_type: sender === null ? 'mint' : recipient === null ? 'burn' : 'transfer',
  sender,
  recipient,
});
