import { encodeClarityUint } from '../../../../src/base/codec/index.ts';
import { toHex } from '../../../../src/base/lib/hex.ts';
import { assetOf, principalOf } from '../../principals.ts';
import { storedTime } from '../../records/block.ts';
import { clarity } from '../../records/transaction.ts';
import { position, times } from '../../records/v3-transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../../route.ts';
import type { Block, World } from '../../world.ts';
import { holdersOf } from '../balances.ts';
import { nftEvents } from '../nfts.ts';
import { supplyAt } from '../supply.ts';
import { cursorPage, eventsPage, firstOf } from './page.ts';

function holdersPage(world: World, token: string, query: URLSearchParams): ApiResponse {
  const all = holdersOf(world, token).filter(({ balance }) => balance > 0n);
  const cursors = all.map(({ address, balance }) => `${balance}:${address}`);
  const [wanted = '', from = ''] = (query.get('cursor') ?? '').split(':');
  const isFrom = ({ address, balance }: (typeof all)[number]): boolean =>
    balance < BigInt(wanted) || (balance === BigInt(wanted) && address >= from);
  const first = query.has('cursor') ? firstOf(all, isFrom) : 0;
  return ok(
    cursorPage(all, cursors, first, numberOf(query, 'limit', 100), ({ address, balance }) => ({
      principal: address,
      balance: String(balance),
    })),
  );
}

/** getStxTotalSupplyV3. */
const stxSupply: Route['respond'] = world =>
  ok({ total: String(supplyAt(world, Number.POSITIVE_INFINITY)), projected_total_2050: '2318000000000000' });

/** getFtTotalSupplyV3. */
const ftSupply: Route['respond'] = (world, { token = '' }) => {
  const asset_identifier = assetOf(token);
  if (asset_identifier === undefined) return failed(400);
  const total = holdersOf(world, asset_identifier).reduce((sum, { balance }) => sum + balance, 0n);
  return ok({ asset_identifier, total: String(total) });
};

/** getFtTotalsV3. The week begins above the block of the greatest time that is more than seven days before the tip. */
const ftTotals: Route['respond'] = (world, { token = '' }) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  const holders = holdersOf(world, asset);
  const time = (block: Block) => storedTime(block) || block.burnTime;
  const tip = world.blocks.at(-1);
  const older = world.blocks.filter(block => tip && time(block) < time(tip) - 7 * 86_400);
  const newest = older.toSorted((a, b) => time(a) - time(b) || a.height - b.height).at(-1);
  const moves = ftMoves(world, asset, undefined);
  return ok({
    asset_identifier: asset,
    supply: String(holders.reduce((sum, { balance }) => sum + balance, 0n)),
    holders: holders.filter(({ balance }) => balance > 0n).length,
    transfers: {
      total: moves.length,
      last_7d: moves.filter(({ tx }) => tx.block.height > (newest?.height ?? 0)).length,
    },
  });
};

/** getFtSupplyHistoryV3: after the blocks that minted more or less than they burned. */
const ftSupplyHistory: Route['respond'] = (world, { token = '' }, query) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  let supply = 0n;
  const changes = world.blocks.flatMap(block => {
    const moves = world.txs
      .filter(tx => tx.block.height === block.height)
      .flatMap(tx => tx.events)
      .map(event => event.ft_mint_event ?? event.ft_burn_event ?? event.ft_transfer_event)
      .filter(moved => moved?.asset_identifier === asset);
    const more = moves.reduce(
      (sum, { sender = null, recipient = null, amount }) =>
        sum + (recipient === null ? 0n : BigInt(amount)) - (sender === null ? 0n : BigInt(amount)),
      0n,
    );
    if (more === 0n) return [];
    supply += more;
    const { time } = times(storedTime(block) || block.burnTime);
    return [{ block: { height: block.height, time }, total: String(supply) }];
  });
  const count = Math.min(changes.length, numberOf(query, 'points', 100));
  const chosen = Array.from({ length: count }, (_, i) =>
    changes.at(count === 1 ? -1 : Math.floor((i * (changes.length - 1)) / (count - 1))),
  );
  return ok({ asset_identifier: asset, total: String(supply), results: chosen });
};

/** getFtHoldersByBalanceV3. */
const ftHolders: Route['respond'] = (world, { token = '' }, query) => {
  const asset = assetOf(token);
  return asset === undefined ? failed(400) : holdersPage(world, asset, query);
};

/** Events that moved a fungible token, of a principal or of all. */
const ftMoves = (world: World, asset: string, principal: string | undefined) =>
  world.txs.flatMap(tx =>
    tx.events.flatMap((event, index) => {
      const moved = event.ft_transfer_event ?? event.ft_mint_event ?? event.ft_burn_event;
      if (moved?.asset_identifier !== asset) return [];
      const { sender = null, recipient = null, amount } = moved;
      if (principal !== undefined && ![sender, recipient].includes(principal)) return [];
      return [{ tx, index, sender, recipient, amount: String(amount) }];
    }),
  );

const ftPage = (world: World, asset: string, principal: string | undefined, query: URLSearchParams): ApiResponse =>
  eventsPage(
    world,
    ftMoves(world, asset, principal).toReversed(),
    move => move,
    query,
    ({ tx, index, ...move }) => ({
      ...move,
      transaction: { tx_id: tx.txId, event_index: index },
      block: position(tx).block,
    }),
  );

/** getFtTransfersV3. */
const ftTransfers: Route['respond'] = (world, { token = '' }, query) => {
  const asset = assetOf(token);
  return asset === undefined ? failed(400) : ftPage(world, asset, undefined, query);
};

/** getPrincipalFtTransfersV3. */
const ftTransfersOf: Route['respond'] = (world, { principal = '', token = '' }, query) => {
  const [asset, owner] = [assetOf(token), principalOf(principal)];
  return asset === undefined || owner === undefined ? failed(400) : ftPage(world, asset, owner, query);
};

/** The tokens of each collection that any event names, with their owners. */
function collectionsOf(world: World) {
  const byAsset = Map.groupBy(nftEvents(world), event => String(event.asset_identifier));
  return [...byAsset].map(([asset_identifier, events]) => {
    const owners = new Map<string, string | null>();
    for (const { raw_value, recipient = null } of events) owners.set(raw_value.toLowerCase(), recipient);
    const items = [...owners]
      .flatMap(([value, owner]) => (owner === null ? [] : [{ value, owner }]))
      .sort((a, b) => (a.value < b.value ? -1 : 1));
    const record = {
      asset_identifier,
      items: items.length,
      owners: new Set(items.map(({ owner }) => owner)).size,
      mints: events.filter(({ action }) => action === 'mint').length,
    };
    return { record, items };
  });
}

/** getNftCollectionsV3. */
const nftCollections: Route['respond'] = (world, _params, query) => {
  const key = ({ owners, asset_identifier: asset }: { readonly owners: number; readonly asset_identifier: string }) =>
    [owners, asset] as const;
  const isBefore = ([owners, asset]: readonly [number, string], [others, other]: readonly [number, string]) =>
    owners > others || (owners === others && asset > other);
  const all = collectionsOf(world)
    .map(({ record }) => record)
    .sort((a, b) => (isBefore(key(a), key(b)) ? -1 : 1));
  const cursor = query.get('cursor');
  const [, owners = '', asset = ''] = /^(\d+):(.*)$/s.exec(cursor ?? '') ?? [];
  const first = cursor === null ? 0 : firstOf(all, record => !isBefore(key(record), [Number(owners), asset]));
  const cursors = all.map(record => key(record).join(':'));
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 50), record => record));
};

/** getNftCollectionV3. */
const nftCollection: Route['respond'] = (world, { token = '' }) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  const found = collectionsOf(world).find(({ record }) => record.asset_identifier === asset);
  return found ? ok(found.record) : failed(404);
};

/** getNftItemsV3. */
const nftItems: Route['respond'] = (world, { token = '' }, query) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  const found = collectionsOf(world).find(({ record }) => record.asset_identifier === asset);
  if (!found) return failed(404);
  const from = (query.get('cursor') ?? '0x').toLowerCase();
  const first = firstOf(found.items, ({ value }) => value >= from);
  const cursors = found.items.map(({ value }) => value);
  return ok(
    cursorPage(found.items, cursors, first, numberOf(query, 'limit', 50), ({ value, owner }) => ({
      value: clarity(value),
      owner,
    })),
  );
};

/** getNftInstanceHistoryV3. */
const nftHistory: Route['respond'] = (world, { token = '', value = '' }, query) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  if (!value.startsWith('0x') && BigInt(value) >= 1n << 128n) return failed(400);
  const wanted = value.startsWith('0x') ? value.toLowerCase() : toHex(encodeClarityUint(BigInt(value)));
  const events = nftEvents(world)
    .filter(event => event.asset_identifier === asset && event.raw_value.toLowerCase() === wanted)
    .reverse();
  const placeOf = ({ tx, event_index: index }: (typeof events)[number]) => ({ tx, index });
  const served = ({ tx, event_index, action, sender = null, recipient = null }: (typeof events)[number]) => ({
    asset_event_type: action,
    sender,
    recipient,
    transaction: { tx_id: tx.txId, event_index },
    ...position(tx),
  });
  return eventsPage(world, events, placeOf, query, served, 50);
};

export const v3TokenRoutes: readonly Route[] = [
  { template: '/extended/v3/tokens/stx/supply', respond: stxSupply },
  { template: '/extended/v3/tokens/stx/holders', respond: (world, _params, query) => holdersPage(world, 'stx', query) },
  { template: '/extended/v3/tokens/ft/{token}/supply', respond: ftSupply },
  { template: '/extended/v3/tokens/ft/{token}/totals', respond: ftTotals },
  { template: '/extended/v3/tokens/ft/{token}/supply/history', respond: ftSupplyHistory },
  { template: '/extended/v3/tokens/ft/{token}/holders', respond: ftHolders },
  { template: '/extended/v3/tokens/ft/{token}/transfers', respond: ftTransfers },
  { template: '/extended/v3/principals/{principal}/transfers/ft/{token}', respond: ftTransfersOf },
  { template: '/extended/v3/tokens/nft', respond: nftCollections },
  { template: '/extended/v3/tokens/nft/{token}', respond: nftCollection },
  { template: '/extended/v3/tokens/nft/{token}/items', respond: nftItems },
  { template: '/extended/v3/tokens/nft/{token}/{value}/history', respond: nftHistory },
];
