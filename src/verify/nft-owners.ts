import { rawHex, toHex } from '../lib/hex.ts';
import type { NFT_OWNERS } from '../resources/nft/tables.ts';
import type { RowOf } from '../store/table.ts';
import { type Check, type Context, type Finding, wrong } from './check.ts';
import { rowsOf } from './pages.ts';
import { recordedTransactions } from './recorded-transactions.ts';
import { type SpillingMap, withSpillingMap } from './spilling-map.ts';

export const nftOwnersCheck: Check = {
  name: 'owners of NFTs',
  proves: 'every token belongs to whom its last event names, and none that was burned is there',
  run: context => withSpillingMap(owners => compare(owners, context)),
};

async function* compare(owners: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { events } of recordedTransactions(index)) {
    for (const event of events) {
      if (event.kind !== 'nft') continue;
      const token = `${event.asset} ${event.value.replace(/^0x/, '').toLowerCase()}`;
      if (event.recipient === null) await owners.delete(token);
      else await owners.set(token, event.recipient);
    }
  }
  for await (const { asset, token, owner } of rowsOf<RowOf<typeof NFT_OWNERS>>(index, {
    select: 'asset, token, owner',
    from: 'nft_owners',
    key: ['asset', 'token'],
  })) {
    const expected = await owners.take(`${asset} ${rawHex(token)}`);
    if (expected !== owner)
      yield wrong(`nft_owners: ${toHex(token)} of ${asset} is with ${owner}, its events say ${expected ?? 'nobody'}`);
  }
  for await (const [token, owner] of owners.entries())
    yield wrong(`nft_owners: ${token} is missing, its events say ${owner}`);
}
