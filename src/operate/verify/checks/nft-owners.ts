import { rawHex, toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { NFT_HOLDINGS, NFT_OWNERS } from '../../../index/nft/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedTransactions } from './recorded-transactions.ts';

export const nftOwnersCheck: Check = {
  name: 'owners of NFTs',
  proves:
    'every token belongs to the owner that its last event names, burned ones are absent, and the counts of owners are right',
  run: context => withSpillingMap(owners => withSpillingMap(counts => compare(owners, counts, context))),
};

/**
 * @param owners by asset and token: position of its last event, and the owner
 * @param counts by owner and asset, empty for all: number of tokens
 */
async function* compare(owners: SpillingMap, counts: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { seq, events } of recordedTransactions(index)) {
    for (const event of events) {
      if (event.kind !== 'nft') continue;
      const token = `${event.asset} ${event.value.replace(/^0x/, '').toLowerCase()}`;
      if (event.recipient === null) await owners.delete(token);
      else await owners.set(token, `${seq} ${event.index} ${event.recipient}`);
    }
  }
  for await (const { asset, token, owner, tx, event_index } of pagedRows<RowOf<typeof NFT_OWNERS>>(index, {
    sql: 'SELECT asset, token, owner, tx, event_index FROM nft_owners',
    key: ['asset', 'token'],
  })) {
    const kept = `${tx} ${event_index} ${owner}`;
    const expected = await owners.take(`${asset} ${rawHex(token)}`);
    if (expected !== kept)
      yield wrong(`nft_owners: ${toHex(token)} of ${asset} is with ${kept}, its events say ${expected ?? 'nobody'}`);
    for (const counted of [asset, '']) await counts.add(`${owner} ${counted}`, 1);
  }
  for await (const [token, owner] of owners.entries())
    yield wrong(`nft_owners: ${token} is missing, its events say ${owner}`);
  for await (const { owner, asset, tokens } of pagedRows<RowOf<typeof NFT_HOLDINGS>>(index, {
    sql: 'SELECT owner, asset, tokens FROM nft_holdings',
    key: ['owner', 'asset'],
  })) {
    const expected = Number((await counts.take(`${owner} ${asset}`)) ?? 0);
    if (tokens !== expected)
      yield wrong(`nft_holdings: ${owner} has ${tokens} of "${asset}", a recount gives ${expected}`);
  }
  for await (const [holding, tokens] of counts.entries())
    yield wrong(`nft_holdings: ${holding} is missing, a recount gives ${tokens}`);
}
