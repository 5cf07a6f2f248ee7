import { rawHex, toHex } from '../../../base/lib/hex.ts';
import { NFT_COLLECTIONS, NFT_HOLDINGS, NFT_OWNERS } from '../../../index/nft/tables.ts';
import { type Check, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import { recordedEvents } from './sources.ts';

export const nftOwnersCheck: Check = {
  name: 'owners of NFTs',
  proves:
    'every token belongs to the owner that its last event names, burned ones are absent, and the counts of owners and collections are right',
  async *run({ index, newMap }) {
    /** By asset and token: position of its last event, and the owner. */
    const owners = newMap();
    /** By owner and asset, empty for all: number of tokens. */
    const counts = newMap();
    /** By `items` or `owners` and asset; `items` of all assets is their number. */
    const collections = newMap();
    for await (const { seq, events } of recordedEvents(index)) {
      for (const event of events) {
        if (event.kind !== 'nft') continue;
        if ((await collections.get(`items ${event.asset}`)) === undefined) {
          await collections.set(`items ${event.asset}`, '0');
          await collections.add('items ', 1);
        }
        const token = `${event.asset} ${event.value.replace(/^0x/, '').toLowerCase()}`;
        if (event.recipient === null) await owners.delete(token);
        else await owners.set(token, `${seq} ${event.index} ${event.recipient}`);
      }
    }
    for await (const { asset, token, owner, tx, event_index } of tableRows(index, NFT_OWNERS, [
      'owner',
      'tx',
      'event_index',
    ])) {
      const kept = `${tx} ${event_index} ${owner}`;
      const expected = await owners.take(`${asset} ${rawHex(token)}`);
      if (expected !== kept)
        yield wrong(`nft_owners: ${toHex(token)} of ${asset} is with ${kept}, its events say ${expected ?? 'nobody'}`);
      for (const counted of [asset, '']) await counts.add(`${owner} ${counted}`, 1);
      await collections.add(`items ${asset}`, 1);
      if ((await counts.get(`${owner} ${asset}`)) === '1') await collections.add(`owners ${asset}`, 1);
    }
    for await (const [token, owner] of owners.entries())
      yield wrong(`nft_owners: ${token} is missing, its events say ${owner}`);
    for await (const { owner, asset, tokens } of tableRows(index, NFT_HOLDINGS, ['tokens'])) {
      const expected = Number((await counts.take(`${owner} ${asset}`)) ?? 0);
      if (tokens !== expected)
        yield wrong(`nft_holdings: ${owner} has ${tokens} of "${asset}", a recount gives ${expected}`);
    }
    for await (const [holding, tokens] of counts.entries())
      yield wrong(`nft_holdings: ${holding} is missing, a recount gives ${tokens}`);
    for await (const { asset, items, owners } of tableRows(index, NFT_COLLECTIONS, ['items', 'owners'])) {
      const expected = [await collections.take(`items ${asset}`), (await collections.take(`owners ${asset}`)) ?? '0'];
      if (`${expected}` !== `${[items, owners]}`)
        yield wrong(
          `nft_collections: "${asset}" has ${items} and ${owners}, a recount gives ${expected.join(' and ')}`,
        );
    }
    for await (const [collection, count] of collections.entries())
      yield wrong(`nft_collections: ${collection} is missing, a recount gives ${count}`);
  },
};
