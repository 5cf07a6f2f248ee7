import { amountOfBytes, bytesGreatestFirst, stepOf } from '../../base/lib/number-bytes.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import { loadNumbers, nextNumber } from '../../ingest/indexer/row-numbers.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { packTokenTotals } from './stored.ts';
import {
  ALL_TOKEN_CHANGES,
  ALL_TOKENS_HELD_THEN,
  FT_SUPPLIES_OF,
  TOKEN_BALANCES,
  TOKEN_HOLDERS,
  TOKENS_HELD,
} from './tables.ts';

/** Balances of fungible tokens and counts of NFTs by principal, at the tip and as of any block. */
export const tokenBalancesProjection: Projection = {
  name: 'token balances',
  stateTables: [TOKEN_BALANCES, TOKEN_HOLDERS, TOKENS_HELD],
  keptTables: [],
  lists: [ALL_TOKEN_CHANGES, ALL_TOKENS_HELD_THEN, FT_SUPPLIES_OF],

  prepare(block: BlockFacts, workspace: Workspace) {
    const changes = changesOf(block);
    if (changes.length === 0) return undefined;
    const fungible = changes.filter(({ kind }) => kind === 'ft');
    workspace.load(TOKEN_BALANCES, changes);
    workspace.load(TOKEN_HOLDERS, fungible);
    workspace.load(TOKENS_HELD, fungible);
    loadNumbers(TOKEN_BALANCES, workspace);
    loadNumbers(TOKENS_HELD, workspace);
    workspace.loadLists(ALL_TOKEN_CHANGES, ['']);
    workspace.loadLists(ALL_TOKENS_HELD_THEN, ['']);
    const supplied = withOtherSupply(fungible);
    workspace.loadLists(FT_SUPPLIES_OF, supplied);
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      const held = new Map<string, number>();
      for (const change of changes) {
        const more = addChange(change, { unit, first }, workspace);
        held.set(change.principal, (held.get(change.principal) ?? 0) + more);
      }
      if (unit.kind === 'microblock') return;
      for (const [principal, more] of held) addHeld({ principal, more, height: block.height }, workspace);
      for (const token of supplied) {
        const total = workspace.get(TOKEN_HOLDERS, { token })?.supply ?? '0';
        workspace.append(FT_SUPPLIES_OF, token, { height: block.height, total });
      }
    };
  },
};

/** The tokens whose supply a block changes. */
function withOtherSupply(changes: readonly Change[]): readonly string[] {
  const more = new Map<string, bigint>();
  for (const { token, moves } of changes)
    for (const { received, sent } of moves) more.set(token, (more.get(token) ?? 0n) + received - sent);
  return [...more].filter(([, amount]) => amount !== 0n).map(([token]) => token);
}

/** The moves of one token to and from one principal in a block. */
interface Change {
  readonly principal: string;
  readonly kind: 'ft' | 'nft';
  readonly token: string;
  /** Moves of single events, in their order. */
  readonly moves: Move[];
}

interface Move {
  /** Place of the transaction in the block. */
  readonly tx: number;
  readonly event_index: number;
  received: bigint;
  sent: bigint;
}

/** An event with the same principal on both sides adds to both sums, once. */
function changesOf({ txs }: BlockFacts): Change[] {
  const changes = new Map<string, Change>();
  const moveOf = (principal: string, { kind, asset: token, index: event_index }: TokenEvent, tx: number): Move => {
    const name = `${principal} ${kind} ${token}`;
    const change = changes.get(name) ?? { principal, kind, token, moves: [] };
    changes.set(name, change);
    const last = change.moves.at(-1);
    if (last?.tx === tx && last.event_index === event_index) return last;
    const move = { tx, event_index, received: 0n, sent: 0n };
    change.moves.push(move);
    return move;
  };
  for (const [tx, { events }] of txs.entries()) {
    for (const event of events) {
      if (event.kind !== 'ft' && event.kind !== 'nft') continue;
      const amount = event.kind === 'ft' ? BigInt(event.amount) : 1n;
      if (event.sender !== null) moveOf(event.sender, event, tx).sent += amount;
      if (event.recipient !== null) moveOf(event.recipient, event, tx).received += amount;
    }
  }
  return [...changes.values()];
}

type TokenEvent = Extract<EventFacts, { kind: 'ft' | 'nft' }>;

/** @property first where the first transaction of the unit is in txs @returns how many more fungible tokens the principal holds: 1, 0 or -1 */
function addChange(
  { principal, kind, token, moves }: Change,
  { unit, first }: { readonly unit: Unit; readonly first: number },
  workspace: Workspace,
): number {
  const before = workspace.get(TOKEN_BALANCES, { principal, kind, token });
  const number = before?.number ?? nextNumber(TOKEN_BALANCES, workspace);
  const [startReceived, startSent] = [BigInt(before?.received ?? 0), BigInt(before?.sent ?? 0)];
  let [received, sent] = [startReceived, startSent];
  for (const { tx, event_index, ...move } of moves) {
    received += move.received;
    sent += move.sent;
    const totals = packTokenTotals({ received, sent });
    const held = bytesGreatestFirst(received - sent);
    workspace.append(ALL_TOKEN_CHANGES, '', { balance: number, tx: first + tx, event_index, totals, held });
  }
  const sums = { received: String(received), sent: String(sent), changes: (before?.changes ?? 0) + moves.length };
  const row = { principal, kind, token, number, ...sums };
  const listed = before?.balance ?? null;
  // No list has changes that only a microblock made.
  if (kind === 'nft' || unit.kind === 'microblock') {
    workspace.put(TOKEN_BALANCES, { ...row, balance: listed, peak: before?.peak ?? null });
    return 0;
  }
  const balance = received - sent;
  workspace.put(TOKEN_BALANCES, {
    ...row,
    balance: bytesGreatestFirst(balance),
    peak: Math.max(before?.peak ?? 0, stepOf(balance)),
  });
  const wasHeld = listed !== null && amountOfBytes(listed) > 0n;
  const held = Number(received > sent) - Number(wasHeld);
  const supply = received - startReceived - (sent - startSent);
  addHolders({ token, holders: listed === null ? 1 : 0, positive: held, supply }, workspace);
  return held;
}

function addHeld(
  { principal, more, height }: { readonly principal: string; readonly more: number; readonly height: number },
  workspace: Workspace,
): void {
  if (more === 0) return;
  const before = workspace.get(TOKENS_HELD, { principal });
  const number = before?.number ?? nextNumber(TOKENS_HELD, workspace);
  const fts = (before?.fts ?? 0) + more;
  workspace.put(TOKENS_HELD, { principal, number, fts });
  workspace.append(ALL_TOKENS_HELD_THEN, '', { holder: number, height, fts });
}

/** The changes of a token's holders by a block. */
interface MoreHolders {
  readonly token: string;
  /** Principals that it names for the first time. */
  readonly holders: number;
  /** Change of the number of balances above zero. */
  readonly positive: number;
  /** Change of the sum of all balances. */
  readonly supply: bigint;
}

/** Writes these changes. The row of the token must be loaded. */
export function addHolders({ token, holders, positive, supply }: MoreHolders, workspace: Workspace): void {
  if (holders === 0 && positive === 0 && supply === 0n) return;
  const before = workspace.get(TOKEN_HOLDERS, { token }) ?? { holders: 0, positive: 0, supply: '0' };
  workspace.put(TOKEN_HOLDERS, {
    token,
    holders: before.holders + holders,
    positive: before.positive + positive,
    supply: String(BigInt(before.supply) + supply),
  });
}
