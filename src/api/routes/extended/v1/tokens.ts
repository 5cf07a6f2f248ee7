import type { Queries } from '../../../../base/store/database.ts';
import { firstUnanchored } from '../../../../index/blocks/canonical-chain.ts';
import { assetIdentifier, flag, limit, offset } from '../../../http/params.ts';
import { pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { type Mint, mintsOfAsset, mintWithTransaction } from '../../../records/nft/queries.ts';
import { MintSchemaV1, MintWithTransactionSchemaV1 } from '../../../records/nft/schema.ts';
import { recordsAt } from '../../../records/transactions/queries.ts';
import type { ApiContext } from '../../context.ts';
import { NFT_CONTRACT } from '../../examples.ts';

/** `/extended/v1/tokens` (docs/spec/nft.md) */
export function addTokenRoutesV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/tokens/nft/mints',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNftMintsV1',
        deprecated: true,
        summary: 'List the mints of a non-fungible token',
        description: 'Newest first; tokens burnt since are listed too.',
        tags: ['Tokens'],
        querystring: Type.Object({
          asset_identifier: assetIdentifier('`<contract id>::<asset name>`', `${NFT_CONTRACT}::ape`),
          limit: limit(200, 50),
          offset: offset(),
          at: at(),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
          tx_metadata: flag('Whether to show the whole transaction in place of its id.'),
        }),
        response: { 200: pageOf(Type.Union([MintSchemaV1, MintWithTransactionSchemaV1]), 'NftMintsPage') },
      },
    },
    async request => {
      const { asset_identifier, limit, offset, unanchored, tx_metadata } = request.query;
      return readAsOf(db, request, async queries => {
        const txsBelow = unanchored ? undefined : firstUnanchored(queries);
        const { total, mints } = await mintsOfAsset(queries, asset_identifier, { limit, offset }, txsBelow);
        const records = tx_metadata ? await withTransactions(queries, mints) : mints.map(({ record }) => record);
        return page({ limit, offset, total }, records);
      });
    },
  );
}

/** The mints with the record of the transaction in place of its id. */
async function withTransactions(queries: Queries, mints: readonly Mint[]): Promise<string[]> {
  const transactions = await recordsAt(queries, [...new Set(mints.map(({ tx }) => tx))]);
  return mints.map(({ tx, record }) => mintWithTransaction(record, transactions.get(tx)));
}
