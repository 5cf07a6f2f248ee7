import { accountOf } from '../../accounts.ts';
import { feeOf, payerOf } from '../../mempool.ts';
import { principalOf } from '../../principals.ts';
import { clarity } from '../../records/transaction.ts';
import { times } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import type { Block, Payload, Tx, World } from '../../world.ts';
import { movesOf } from '../address-transactions.ts';
import { tokensOf } from '../balances.ts';
import { comparePlaces, firstOf, placeCursors, placeOf } from './page.ts';

/** A row, or an event of a lock, which takes the place of a row of its page and is not shown. */
type Item =
  | { readonly kind: 'event'; readonly tx: Tx; readonly index: number; readonly event: Payload }
  | { readonly kind: 'fee'; readonly tx: Tx }
  | { readonly kind: 'reward'; readonly block: Block; readonly position: number; readonly amount: bigint };

/** Of a block its transactions, of a transaction its events from the last one on and then its fee; then the rewards of the block. */
function itemsOf(world: World, principal: string, blocks: readonly Block[]): Item[] {
  return blocks.toReversed().flatMap(block => [
    ...world.txs
      .filter(tx => tx.block.height === block.height)
      .toReversed()
      .flatMap(tx => [...eventsOf(tx, principal), ...feesOf(tx, principal)]),
    ...(block.payload.matured_miner_rewards as Payload[])
      .map((reward, position): Item => ({ kind: 'reward', block, position, amount: amountOf(reward, principal) }))
      .filter(item => item.kind === 'reward' && item.amount > 0n)
      .toReversed(),
  ]);
}

function eventsOf(tx: Tx, principal: string): Item[] {
  const moved = new Set(movesOf(tx, principal).map(({ event_index }) => event_index));
  return tx.events
    .flatMap((event, index): Item[] =>
      moved.has(index) || event.stx_lock_event?.locked_address === principal
        ? [{ kind: 'event', tx, index, event }]
        : [],
    )
    .toReversed();
}

const feesOf = (tx: Tx, principal: string): Item[] =>
  payerOf(tx.decoded) === principal && feeOf(tx.decoded) > 0n ? [{ kind: 'fee', tx }] : [];

const amountOf = (reward: Payload, principal: string): bigint =>
  reward.recipient === principal
    ? ['coinbase_amount', 'tx_fees_anchored', 'tx_fees_streamed_confirmed', 'tx_fees_streamed_produced']
        .map(name => BigInt(reward[name]))
        .reduce((a, b) => a + b, 0n)
    : 0n;

/** From the first block that is not earlier than `from`, up to the one below the first that is later than `to`. */
function blocksBetween({ blocks }: World, query: URLSearchParams): readonly Block[] | undefined {
  const time = ({ payload, burnTime }: Block): number => payload.block_time || burnTime;
  const [from, to] = [secondsOf(query.get('from'), 0), secondsOf(query.get('to'), 86_399)];
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined;
  const first = from === undefined ? 0 : blocks.findIndex(block => time(block) >= from);
  const end = to === undefined ? -1 : blocks.findIndex(block => time(block) > to);
  return first < 0 ? [] : blocks.slice(first, end < 0 ? blocks.length : end);
}

/** NaN for a day that no month has. */
function secondsOf(text: string | null, ofDay: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const date = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
  return isDay ? date.getTime() / 1000 + ofDay : Number.NaN;
}

function cursorOf(world: World, item: Item): string {
  if (item.kind === 'reward') return `${item.block.height}:reward:${item.position}`;
  const [height, sequence, index, ...further] = (placeCursors(world, [item.tx])[0] ?? '').split(':');
  return [height, sequence, index, item.kind === 'fee' ? 'fee' : item.index, ...further].join(':');
}

/** Whether an item is the one that a cursor names, or follows its place. */
function isFrom(world: World, cursor: string): (item: Item) => boolean {
  const [height = 0, sequence = 0, index = 0, , further = 0] = cursor.split(':').map(Number);
  const part = cursor.split(':')[3] ?? '';
  if (cursor.includes('reward'))
    return item =>
      item.kind === 'reward'
        ? item.block.height < height || (item.block.height === height && item.position <= index)
        : item.tx.block.height < height;
  const place = [height, sequence, index];
  const all = world.txs.toReversed();
  const at = all.findIndex(tx => comparePlaces(placeOf(tx), place) >= 0);
  const start = at < 0 ? all.length : at + further;
  const tx = all[start];
  const isThere = tx !== undefined && comparePlaces(placeOf(tx), place) === 0;
  return item => {
    if (item.kind === 'reward') return item.block.height <= height;
    const position = all.indexOf(item.tx);
    if (position !== start) return position > start;
    if (!isThere || item.kind === 'fee') return true;
    return part !== 'fee' && item.index <= Number(part);
  };
}

/** Undefined of a lock. */
function directionOf(item: Item, principal: string): string | undefined {
  if (item.kind !== 'event') return item.kind === 'fee' ? 'out' : 'in';
  const moved = movesOf(item.tx, principal).find(({ event_index }) => event_index === item.index)?.data;
  if (moved === undefined) return undefined;
  const { sender = null, recipient = null } = moved;
  return sender !== principal ? 'in' : recipient === principal ? 'self' : 'out';
}

function served(world: World, principal: string, item: Item): unknown[] {
  const block = item.kind === 'reward' ? item.block : item.tx.block;
  const upTo = {
    ...world,
    txs:
      item.kind === 'reward'
        ? world.txs.filter(tx => tx.block.height < block.height)
        : world.txs.slice(0, world.txs.indexOf(item.tx) + 1),
    blocks: world.blocks.filter(({ height }) => height <= block.height).map(own => rewardedUpTo(own, item)),
  };
  const stx = () => accountOf(upTo, principal).balance;
  const base = {
    ...times(block.payload.block_time || block.burnTime),
    type: item.kind as string,
    direction: item.kind === 'fee' ? 'out' : 'in',
    counterparty: null as string | null,
    asset: { type: 'stx', identifier: null as string | null, value: null as unknown, symbol: 'STX', decimals: 6 },
    amount: item.kind === 'reward' ? String(item.amount) : '0',
    fee: item.kind === 'fee' ? String(feeOf(item.tx.decoded)) : '0',
    balance: stx(),
    tx_id: item.kind === 'reward' ? null : item.tx.txId,
    event_index: null as number | null,
    block: { height: block.height, index_hash: block.indexHash },
  };
  if (item.kind !== 'event') return [base];
  const move = movesOf(item.tx, principal).find(({ event_index }) => event_index === item.index);
  if (!move) return [];
  const { asset, data } = move;
  const { sender = null, recipient = null, asset_identifier: identifier } = data;
  const balance = (kind: 'ft' | 'nft') => {
    const { received, sent } = tokensOf(upTo, principal, Infinity, kind).get(identifier) ?? { received: 0n, sent: 0n };
    return String(received - sent);
  };
  return [
    {
      ...base,
      type: /transfer|mint|burn/.exec(item.event.type)?.[0],
      direction: directionOf(item, principal),
      counterparty: sender === principal ? recipient : sender,
      asset:
        asset === 'stx'
          ? base.asset
          : {
              type: asset,
              identifier,
              value: asset === 'nft' ? clarity(data.raw_value.toLowerCase()) : null,
              symbol: null,
              decimals: null,
            },
      amount: asset === 'nft' ? '1' : data.amount,
      balance: asset === 'ft' || asset === 'nft' ? balance(asset) : base.balance,
      event_index: item.index,
    },
  ];
}

/** Of the block of a reward those up to it. */
const rewardedUpTo = (block: Block, item: Item): Block =>
  item.kind === 'reward' && block === item.block
    ? {
        ...block,
        payload: {
          ...block.payload,
          matured_miner_rewards: block.payload.matured_miner_rewards.slice(0, item.position + 1),
        },
      }
    : block;

/** getPrincipalMovementsV3 */
const movements: Route['respond'] = (world, { principal: text = '' }, query) => {
  const principal = principalOf(text);
  const blocks = blocksBetween(world, query);
  if (principal === undefined || blocks === undefined) return failed(400);
  const items = itemsOf(world, principal, blocks);
  const cursor = query.get('cursor');
  const limit = numberOf(query, 'limit', 50);
  const first = cursor === null ? 0 : firstOf(items, isFrom(world, cursor));
  const at = (item: Item | undefined) => (item ? cursorOf(world, item) : null);
  const direction = query.get('direction');
  const end = first + (direction === null ? limit : 200);
  const results: unknown[] = [];
  let next = first;
  for (const item of items.slice(first, end)) {
    if (results.length === limit) break;
    next++;
    if (direction === null || directionOf(item, principal) === direction)
      results.push(...served(world, principal, item));
  }
  return ok({ limit, cursor: { next: at(items[next]), current: at(items[first]) }, results });
};

export const v3MovementRoutes: readonly Route[] = [
  { template: '/extended/v3/principals/{principal}/movements', respond: movements },
];
