/** Balance changes of a principal by transaction and asset (docs/spec/addresses.md#balance-changes). */
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import { type EventFacts, isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import { endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { type Placed, placeCursors } from '../../paging/transaction-cursors.ts';
import { eventsInTurns, firstEventsAt } from '../transactions/events.ts';
import { type ListedRow, toListed } from '../transactions/pages-v3.ts';
import { payerOf } from './transactions-v3.ts';

const ASSET_TYPES = ['stx', 'ft', 'nft'] as const;

/** `1:stx`, `2:` or `3:` and an asset identifier. */
export const ASSET_CURSOR = '^[0-9]+:\\S+$';
/** The cursor of a transaction, and that of an asset. */
export const CHANGE_CURSOR = '^[0-9]+:[0-9]+:[0-9]+(:[0-9]+)?:[0-9]+:\\S+$';

/** The amounts of one asset that one transaction moved. */
interface BalanceChange {
  readonly txId: string;
  /** The cursor of the transaction. */
  readonly place: string;
  /** 1, 2, 3 for STX, fungible and non-fungible tokens. */
  readonly type: number;
  /** Asset identifier; `stx` for STX. */
  readonly asset: string;
  /** In the smallest unit, or a number of tokens. */
  readonly sent: bigint;
  readonly received: bigint;
}

/** The changes by the canonical ones of these transactions: the newest transaction first, then by asset. @param txIds 0x hex */
export async function balanceChangesOf(
  queries: Queries,
  budget: RowBudget,
  principal: string,
  txIds: Iterable<string>,
): Promise<BalanceChange[]> {
  const rows = await allIn<ListedRow>(
    queries,
    list => `SELECT seq, record FROM txs WHERE tx_id IN ${list}`,
    [...new Set(txIds)].map(txId => fromHex(txId) ?? null),
  );
  const end = endOfTransactions(queries);
  const shown = rows.filter(({ seq }) => seq < end);
  const newestFirst = shown.map(toListed).sort((a, b) => b.tx - a.tx);
  // If several blocks have a transaction, the last one counts.
  const listed = newestFirst.filter(
    ({ stored }, i) => newestFirst.findIndex(other => other.stored.txId === stored.txId) === i,
  );
  const first = await firstEventsAt(
    queries,
    listed.map(({ tx }) => tx),
  );
  const places = await placeCursors(queries, listed satisfies readonly Placed[]);
  const all: BalanceChange[] = [];
  for (const [i, { tx, stored }] of listed.entries()) {
    const fee = payerOf(stored) === principal ? BigInt(stored.fee) : 0n;
    const events = eventsInTurns(queries, budget, { tx, first: first.get(tx) ?? [] });
    for (const change of await movedIn(events, principal, fee))
      all.push({ txId: stored.txId, place: places[i] ?? '', ...change });
  }
  return all;
}

/** The changes by asset; a fee of zero is no change. */
async function movedIn(parts: AsyncIterable<readonly EventFacts[]>, principal: string, fee: bigint) {
  const changes = new Map<string, { type: number; asset: string; sent: bigint; received: bigint }>();
  const changeOf = (type: number, asset: string) => {
    const change = changes.get(`${type}:${asset}`) ?? { type, asset, sent: 0n, received: 0n };
    changes.set(`${type}:${asset}`, change);
    return change;
  };
  if (fee > 0n) changeOf(1, 'stx').sent += fee;
  for await (const events of parts)
    for (const event of events.filter(isAssetEvent)) {
      const type = ASSET_TYPES.indexOf(event.kind) + 1;
      const asset = event.kind === 'stx' ? 'stx' : event.asset;
      const moved = event.kind === 'nft' ? 1n : BigInt(event.amount);
      if (event.sender === principal) changeOf(type, asset).sent += moved;
      if (event.recipient === principal) changeOf(type, asset).received += moved;
    }
  return [...changes.values()].sort((a, b) => a.type - b.type || compareBytes(a.asset, b.asset));
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const assetCursor = ({ type, asset }: BalanceChange): string => `${type}:${asset}`;
export const changeCursor = (change: BalanceChange): string => `${change.place}:${assetCursor(change)}`;

/** The index of the first change of a transaction at or after a position. @param cursor as ASSET_CURSOR */
export function firstOfAsset(changes: readonly BalanceChange[], cursor: string): number {
  const colon = cursor.indexOf(':');
  const [type, asset] = [Number(cursor.slice(0, colon)), cursor.slice(colon + 1)];
  return firstOf(changes, change => change.type - type || compareBytes(change.asset, asset));
}

const CHANGE_PARTS = /^(\d+):(\d+):(\d+)(?::(\d+))?:(\d+):(\S+)$/;

/** The same for the changes of several transactions. @param cursor as CHANGE_CURSOR */
export function firstOfChange(changes: readonly BalanceChange[], cursor: string): number {
  const [, height, sequence, index, further = '0', type, asset = ''] = CHANGE_PARTS.exec(cursor) ?? [];
  const wanted = [height, sequence, index].map(Number);
  return firstOf(changes, change => {
    const [ownHeight, ownSequence, ownIndex, ownFurther = 0] = change.place.split(':').map(Number);
    const place = [ownHeight, ownSequence, ownIndex];
    const different = wanted.findIndex((part, i) => part !== place[i]);
    if (different >= 0) return (wanted[different] ?? 0) - (place[different] ?? 0);
    return ownFurther - Number(further) || change.type - Number(type) || compareBytes(change.asset, asset);
  });
}

/** @param after above 0 for entries after the position */
function firstOf(changes: readonly BalanceChange[], after: (change: BalanceChange) => number): number {
  const found = changes.findIndex(change => after(change) >= 0);
  return found < 0 ? changes.length : found;
}

/** The change as it is served, keys in emitted order. */
export const balanceChangeV3 = ({ type, asset, sent, received }: BalanceChange) => ({
  asset: type === 1 ? { type: 'stx' } : { type: ASSET_TYPES[type - 1], identifier: asset },
  balance_change: { sent: String(sent), received: String(received), net: String(received - sent) },
});
