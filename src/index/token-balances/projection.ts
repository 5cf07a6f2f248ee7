import { amountOfBytes, bytesGreatestFirst } from '../../base/lib/number-bytes.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import { LIST_COUNTERS } from '../../ingest/indexer/tables.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { packTokenTotals } from './stored.ts';
import { ALL_TOKEN_CHANGES, TOKEN_BALANCES, TOKEN_HOLDERS, TOKENS_HELD } from './tables.ts';

/** Balances of fungible tokens and counts of NFTs by principal, at the tip and at every height before. */
export const tokenBalancesProjection: Projection = {
  name: 'token balances',
  stateTables: [TOKEN_BALANCES, TOKEN_HOLDERS, TOKENS_HELD],
  keptTables: [],
  lists: [ALL_TOKEN_CHANGES],

  prepare(block: BlockFacts, workspace: Workspace) {
    const changes = changesOf(block);
    if (changes.length === 0) return undefined;
    const fungible = changes.filter(({ kind }) => kind === 'ft');
    workspace.load(TOKEN_BALANCES, changes);
    workspace.load(TOKEN_HOLDERS, fungible);
    workspace.load(TOKENS_HELD, fungible);
    workspace.load(LIST_COUNTERS, [NUMBERS]);
    workspace.loadLists(ALL_TOKEN_CHANGES, ['']);
    return (unit: Unit) => {
      for (const change of changes) addChange(change, unit, workspace);
    };
  },
};

/** What a block moves of one token to and from one principal. */
interface Change {
  readonly principal: string;
  readonly kind: 'ft' | 'nft';
  readonly token: string;
  received: bigint;
  sent: bigint;
}

/** An event with the same principal on both sides adds to both sums. */
function changesOf({ txs }: BlockFacts): Change[] {
  const changes = new Map<string, Change>();
  const changeOf = (principal: string, kind: Change['kind'], token: string): Change => {
    const name = `${principal} ${kind} ${token}`;
    const change = changes.get(name) ?? { principal, kind, token, received: 0n, sent: 0n };
    changes.set(name, change);
    return change;
  };
  for (const { events } of txs) {
    for (const event of events) {
      if (event.kind !== 'ft' && event.kind !== 'nft') continue;
      const amount = event.kind === 'ft' ? BigInt(event.amount) : 1n;
      if (event.sender !== null) changeOf(event.sender, event.kind, event.asset).sent += amount;
      if (event.recipient !== null) changeOf(event.recipient, event.kind, event.asset).received += amount;
    }
  }
  return [...changes.values()];
}

/** Rows are numbered in the order in which they came. */
const NUMBERS = { entries: TOKEN_BALANCES.name };

function addChange({ principal, kind, token, ...change }: Change, unit: Unit, workspace: Workspace): void {
  const before = workspace.get(TOKEN_BALANCES, { principal, kind, token });
  const number = before?.number ?? nextNumber(workspace);
  const received = BigInt(before?.received ?? 0) + change.received;
  const sent = BigInt(before?.sent ?? 0) + change.sent;
  const { height } = unit.block;
  workspace.append(ALL_TOKEN_CHANGES, '', { balance: number, height, totals: packTokenTotals({ received, sent }) });
  const row = { principal, kind, token, number, received: String(received), sent: String(sent) };
  const listed = before?.balance ?? null;
  // What only a microblock did is in no list.
  if (kind === 'nft' || unit.kind === 'microblock') {
    workspace.put(TOKEN_BALANCES, { ...row, balance: listed });
    return;
  }
  workspace.put(TOKEN_BALANCES, { ...row, balance: bytesGreatestFirst(received - sent) });
  addHolders({ token, holders: listed === null ? 1 : 0, supply: change.received - change.sent }, workspace);
  const wasHeld = listed !== null && amountOfBytes(listed) > 0n;
  addHeld(principal, Number(received > sent) - Number(wasHeld), workspace);
}

function nextNumber(workspace: Workspace): number {
  const { count } = workspace.get(LIST_COUNTERS, NUMBERS) ?? { count: 0 };
  workspace.put(LIST_COUNTERS, { ...NUMBERS, count: count + 1 });
  return count;
}

function addHeld(principal: string, more: number, workspace: Workspace): void {
  if (more === 0) return;
  const { fts } = workspace.get(TOKENS_HELD, { principal }) ?? { fts: 0 };
  workspace.put(TOKENS_HELD, { principal, fts: fts + more });
}

/** What a block adds to the holders of a token. */
interface MoreHolders {
  readonly token: string;
  /** Principals that it names for the first time. */
  readonly holders: number;
  /** What it adds to the sum of all balances. */
  readonly supply: bigint;
}

/** Writes what a block adds. The row of the token must be loaded. */
export function addHolders({ token, holders, supply }: MoreHolders, workspace: Workspace): void {
  if (holders === 0 && supply === 0n) return;
  const before = workspace.get(TOKEN_HOLDERS, { token }) ?? { holders: 0, supply: '0' };
  workspace.put(TOKEN_HOLDERS, {
    token,
    holders: before.holders + holders,
    supply: String(BigInt(before.supply) + supply),
  });
}
