import { encodeClarityUint } from '../../../../src/base/codec/index.ts';
import { toHex } from '../../../../src/base/lib/hex.ts';
import { assetOf, principalOf } from '../../principals.ts';
import { position } from '../../records/v3-transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../../route.ts';
import type { World } from '../../world.ts';
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

/** getFtHoldersByBalanceV3. */
const ftHolders: Route['respond'] = (world, { token = '' }, query) => {
  const asset = assetOf(token);
  return asset === undefined ? failed(400) : holdersPage(world, asset, query);
};

/** Events that moved a fungible token, of a principal or of all. */
function ftPage(world: World, asset: string, principal: string | undefined, query: URLSearchParams): ApiResponse {
  const moves = world.txs.flatMap(tx =>
    tx.events.flatMap((event, index) => {
      const moved = event.ft_transfer_event ?? event.ft_mint_event ?? event.ft_burn_event;
      if (moved?.asset_identifier !== asset) return [];
      const { sender = null, recipient = null, amount } = moved;
      if (principal !== undefined && ![sender, recipient].includes(principal)) return [];
      return [{ tx, index, sender, recipient, amount: String(amount) }];
    }),
  );
  return eventsPage(
    world,
    moves.toReversed(),
    move => move,
    query,
    ({ tx, index, ...move }) => ({
      ...move,
      transaction: { tx_id: tx.txId, event_index: index },
      block: position(tx).block,
    }),
  );
}

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
  { template: '/extended/v3/tokens/ft/{token}/holders', respond: ftHolders },
  { template: '/extended/v3/tokens/ft/{token}/transfers', respond: ftTransfers },
  { template: '/extended/v3/principals/{principal}/transfers/ft/{token}', respond: ftTransfersOf },
  { template: '/extended/v3/tokens/nft/{token}/{value}/history', respond: nftHistory },
];
