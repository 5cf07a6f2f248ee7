import { Type } from 'typebox';
import { isValidPrincipal } from '../../codec/index.ts';
import { badRequest } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { flag, limit, offset, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { firstUnanchored } from '../blocks/queries.ts';
import { recordsAt } from '../transactions/positions.ts';
import { type Mint, mintsOfAsset } from './queries.ts';
import { MintsPage } from './schema.ts';

/** `/extended/v1/tokens/nft/mints`: getNftMints (docs/spec/nft.md#mints). */
export function addNftRoutes(api: Api, { db }: ApiContext): void {
  const querystring = Type.Object({
    asset_identifier: text(),
    limit: limit(200, 50),
    offset: offset(),
    unanchored: flag(),
    tx_metadata: flag(),
  });

  api.get(
    '/extended/v1/tokens/nft/mints',
    { config: { cache: 'tip', response: MintsPage }, schema: { querystring } },
    async request => {
      const { asset_identifier, limit, offset, unanchored, tx_metadata } = request.query;
      const [contract = ''] = asset_identifier.split('::', 1);
      if (!isValidPrincipal(contract)) throw badRequest('Invalid or missing asset_identifier');
      return db.read(async queries => {
        const txsBelow = unanchored ? undefined : await firstUnanchored(queries);
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
  return mints.map(({ tx, record }) => {
    const { tx_id: _replaced, recipient, ...mint } = JSON.parse(record);
    const fields = JSON.stringify(mint).slice(1, -1);
    return `{${fields},"tx":${transactions.get(tx)},"recipient":${JSON.stringify(recipient)}}`;
  });
}
