import { assetOf, principalOf } from '../principals.ts';
import { clarity, transactionRecord } from '../records/transaction.ts';
import { failed, numberOf, ok, page, type Route } from '../route.ts';
import type { World } from '../world.ts';

/** getNftMintsV1: every mint of an asset, the newest first; a mint of an unanchored transaction only if requested. */
const mints: Route['respond'] = (world, _params, query) => {
  const asset = assetOf(query.get('asset_identifier') ?? '');
  if (asset === undefined) return failed(400);
  const tip = world.blocks.at(-1)?.height ?? 0;
  const highest = query.get('unanchored') === 'true' ? tip + 1 : tip;
  const found = world.txs
    .filter(({ block }) => block.height <= highest)
    .flatMap(tx => tx.events.map(({ nft_mint_event: mint }, event_index) => ({ tx, mint, event_index })))
    .filter(({ mint }) => mint?.asset_identifier === asset)
    .reverse();
  const withTransaction = query.get('tx_metadata') === 'true';
  const served = ({ tx, mint, event_index }: (typeof found)[number]) => ({
    recipient: mint.recipient,
    event_index,
    value: clarity(mint.raw_value),
    ...(withTransaction ? { tx: transactionRecord(world, tx) } : { tx_id: tx.txId }),
  });
  return ok(page(found, numberOf(query, 'limit', 50) || 50, numberOf(query, 'offset', 0), served));
};

/** Every NFT event in chain order. */
export const nftEvents = (world: World) =>
  world.txs.flatMap(tx =>
    tx.events.flatMap((event, event_index) => {
      const [, action] = /^nft_(\w+)_event$/.exec(event.type) ?? [];
      return action ? [{ tx, event_index, action, ...event[event.type] }] : [];
    }),
  );

/** getNftHoldingsV1: tokens whose last event names the principal; microblocks on the tip count. */
const holdings: Route['respond'] = (world, _params, query) => {
  const principal = principalOf(query.get('principal') ?? '');
  const assets = query
    .getAll('asset_identifiers')
    .flatMap(text => text.split(','))
    .map(assetOf);
  if (principal === undefined || assets.includes(undefined)) return failed(400);
  const byToken = Map.groupBy(nftEvents(world), event => `${event.asset_identifier} ${event.raw_value.toLowerCase()}`);
  const owned = [...byToken.values()]
    .map(events => events.at(-1))
    .filter(last => last !== undefined && last.recipient === principal)
    .filter(last => assets.length === 0 || assets.includes(last.asset_identifier))
    .sort((a, b) => world.txs.indexOf(b.tx) - world.txs.indexOf(a.tx) || b.event_index - a.event_index);
  const withTransaction = query.get('tx_metadata') === 'true';
  const served = (last: (typeof owned)[number]) => ({
    asset_identifier: last.asset_identifier,
    value: clarity(last.raw_value),
    block_height: last.tx.block.height,
    ...(withTransaction ? { tx: transactionRecord(world, last.tx) } : { tx_id: last.tx.txId }),
  });
  return ok(page(owned, numberOf(query, 'limit', 50) || 50, numberOf(query, 'offset', 0), served));
};

/** getNftHistoryV1: all events of one token, the newest first. */
const history: Route['respond'] = (world, _params, query) => {
  const asset = assetOf(query.get('asset_identifier') ?? '');
  if (asset === undefined) return failed(400);
  const value = `0x${(query.get('value') ?? '').replace(/^0x/, '').toLowerCase()}`;
  const tip = world.blocks.at(-1)?.height ?? 0;
  const found = nftEvents(world)
    .filter(({ tx }) => tx.block.height <= (query.get('unanchored') === 'true' ? tip + 1 : tip))
    .filter(event => event.asset_identifier === asset && event.raw_value.toLowerCase() === value)
    .reverse();
  const withTransaction = query.get('tx_metadata') === 'true';
  const served = ({ tx, event_index, action, sender = null, recipient = null }: (typeof found)[number]) => ({
    event_index,
    asset_event_type: action,
    sender,
    recipient,
    ...(withTransaction ? { tx: transactionRecord(world, tx) } : { tx_id: tx.txId }),
  });
  return ok(page(found, numberOf(query, 'limit', 50) || 50, numberOf(query, 'offset', 0), served));
};

export const nftRoutes: readonly Route[] = [
  { template: '/extended/v1/tokens/nft/mints', respond: mints },
  { template: '/extended/v1/tokens/nft/holdings', respond: holdings },
  { template: '/extended/v1/tokens/nft/history', respond: history },
];
