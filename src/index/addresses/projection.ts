import { hexBytes } from '../../base/lib/hex.ts';
import { amountOfBytes, bytesGreatestFirst, stepOf } from '../../base/lib/number-bytes.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { BlockFacts, TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import { loadNumbers, nextNumber } from '../../ingest/indexer/row-numbers.ts';
import type { EntryOf } from '../../ingest/indexer/tables.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { addHolders } from '../token-balances/projection.ts';
import { STX, TOKEN_HOLDERS } from '../token-balances/tables.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { addLocks, lockEventsOf } from './lock-events.ts';
import { lockedWithoutPart, type Member, membersOf } from './members.ts';
import { packEventCounts, packStxTotals } from './stored.ts';
import {
  ACCOUNTS,
  ALL_STX_BALANCES,
  COUNTS_OF_STX_HOLDERS,
  KNOWN_ADDRESSES,
  LOCKING_TXS_OF_ADDRESS,
  LOCKS,
  LOCKS_OF_ADDRESS,
  MINED_COINBASES,
  MINER_REWARDS_OF_ADDRESS,
  TXS_OF_ADDRESS,
} from './tables.ts';

type Members = ReadonlyMap<string, Member>;

/**
 * Transactions of every principal with its part in each, balances, and locks (searchByIdV1, getAddressTransactionsV2). Runs after the
 * transactions.
 */
export const addressesProjection: Projection = {
  name: 'addresses',
  stateTables: [ACCOUNTS, LOCKS, MINED_COINBASES],
  keptTables: [KNOWN_ADDRESSES],
  lists: [
    TXS_OF_ADDRESS,
    LOCKING_TXS_OF_ADDRESS,
    MINER_REWARDS_OF_ADDRESS,
    LOCKS_OF_ADDRESS,
    COUNTS_OF_STX_HOLDERS,
    ALL_STX_BALANCES,
  ],

  prepare(block: BlockFacts, workspace: Workspace, network: Network) {
    const members = block.txs.map(membersOf);
    const changes = changesOf(members, block);
    const locked = block.txs.map((tx, i) => lockedWithoutPart(tx, members[i] ?? new Map()));
    const locks = lockEventsOf(block, network);
    workspace.loadLists(TXS_OF_ADDRESS, new Set(members.flatMap(parts => [...parts.keys()])));
    workspace.loadLists(LOCKING_TXS_OF_ADDRESS, new Set(locked.flatMap(principals => [...principals])));
    workspace.load(
      ACCOUNTS,
      [...changes.keys()].map(principal => ({ principal })),
    );
    workspace.load(LOCKS, locks);
    workspace.loadLists(LOCKS_OF_ADDRESS, new Set(locks.map(({ principal }) => principal)));
    const recipients = new Set(block.minerRewards.map(({ recipient }) => recipient));
    workspace.loadLists(MINER_REWARDS_OF_ADDRESS, recipients);
    workspace.load(
      MINED_COINBASES,
      [...recipients].map(principal => ({ principal })),
    );
    workspace.load(TOKEN_HOLDERS, [{ token: STX }]);
    workspace.loadLists(COUNTS_OF_STX_HOLDERS, ['']);
    workspace.loadLists(ALL_STX_BALANCES, ['']);
    loadNumbers(ACCOUNTS, workspace);
    return (unit: Unit) => {
      addToAccounts(changes, unit, workspace);
      const first = firstPositionOf(unit, workspace);
      for (const [i, principals] of locked.entries())
        for (const principal of principals) workspace.append(LOCKING_TXS_OF_ADDRESS, principal, { tx: first + i });
      addLocks(locks, block.burnBlockHeight, workspace);
    };
  },

  hooks: ({ workspace }) => ({
    blockOffTip: ({ txs }) => keepKnownAddresses(txs, workspace),
  }),
};

/** The changes of an account by a block. */
interface Change {
  /** Its parts in transactions, in their order. */
  readonly parts: { readonly tx: number; readonly member: Member }[];
  /** Including rewards of zero. */
  readonly rewards: MaturedReward[];
}

/** A reward, and its place among those of the block. */
interface MaturedReward extends Pick<EntryOf<typeof MINER_REWARDS_OF_ADDRESS>, 'position' | 'miner' | 'source'> {
  readonly coinbase: bigint;
  readonly fees: bigint;
}

const NEW_ACCOUNT: Account = {
  received: '0',
  sent: '0',
  fees: '0',
  rewards: '0',
  known: 0,
  balance: null,
  held_since: null,
  number: null,
  peak: null,
  without_stx: 0,
  without_transfers: 0,
  paid_nonce: null,
};

function addToAccounts(changes: ReadonlyMap<string, Change>, unit: Unit, workspace: Workspace): void {
  const firstTx = firstPositionOf(unit, workspace);
  let [holders, positive, supply] = [0, 0, 0n];
  for (const [principal, change] of changes) {
    const before = workspace.get(ACCOUNTS, { principal }) ?? NEW_ACCOUNT;
    const sums = addToList(principal, before, change.parts, firstTx, workspace);
    const rewards = addRewards(
      { principal, before: BigInt(before.rewards), height: unit.block.height },
      change,
      workspace,
    );
    const isRewarded = change.rewards.length > 0;
    const isKnown = before.known === 1 || change.parts.some(({ member }) => member.known);
    if (isKnown && before.known !== 1) keepKnown(principal, workspace);
    const isListed =
      unit.kind === 'block' &&
      (before.balance !== null || isRewarded || change.parts.some(({ member }) => member.holdsStx));
    const balance = sums.received - sums.sent - sums.fees + rewards;
    const shown = before.balance === null ? 0n : amountOfBytes(before.balance);
    const bytes = isListed ? bytesGreatestFirst(balance) : before.balance;
    const isMoved = isListed && (before.balance === null || balance !== shown);
    const number = before.number ?? (isListed ? nextNumber(ACCOUNTS, workspace) : null);
    if (isMoved && bytes !== null && number !== null)
      workspace.append(ALL_STX_BALANCES, '', { account: number, height: unit.block.height, balance: bytes });
    const after = {
      received: String(sums.received),
      sent: String(sums.sent),
      fees: String(sums.fees),
      rewards: String(rewards),
      known: isKnown ? 1 : 0,
      balance: bytes,
      held_since: before.held_since ?? (isListed ? unit.block.height : null),
      number,
      peak: isMoved ? Math.max(before.peak ?? 0, stepOf(balance)) : before.peak,
      ...sums.history,
    };
    if (isSame(before, after)) continue;
    workspace.put(ACCOUNTS, { principal, ...after });
    if (!isListed) continue;
    if (before.balance === null) holders++;
    positive += Number(balance > 0n) - Number(shown > 0n);
    supply += balance - shown;
  }
  if (holders === 0 && positive === 0 && supply === 0n) return;
  addHolders({ token: STX, holders, positive, supply }, workspace);
  const all = workspace.get(TOKEN_HOLDERS, { token: STX });
  if (all)
    workspace.append(COUNTS_OF_STX_HOLDERS, '', {
      height: unit.block.height,
      holders: all.holders,
      positive: all.positive,
      supply: all.supply,
    });
}

/** Appends the rewards of a principal that are not zero, and returns the sum of all its rewards. */
function addRewards(
  { principal, before, height }: { readonly principal: string; readonly before: bigint; readonly height: number },
  { rewards }: Change,
  workspace: Workspace,
): bigint {
  if (rewards.length === 0) return before;
  let total = before;
  let coinbases = BigInt(workspace.get(MINED_COINBASES, { principal })?.total ?? 0);
  for (const { coinbase, fees, ...reward } of rewards) {
    if (coinbase + fees === 0n) continue;
    coinbases += coinbase;
    total += coinbase + fees;
    workspace.append(MINER_REWARDS_OF_ADDRESS, principal, {
      height,
      recipient: principal,
      ...reward,
      coinbase: String(coinbase),
      fees: String(fees),
      total: String(total),
    });
  }
  if (total !== before) workspace.put(MINED_COINBASES, { principal, total: String(coinbases) });
  return total;
}

type Account = Omit<RowOf<typeof ACCOUNTS>, 'principal'>;

const isSame = (a: Account, b: Account): boolean =>
  a.received === b.received &&
  a.sent === b.sent &&
  a.fees === b.fees &&
  a.rewards === b.rewards &&
  a.known === b.known &&
  (a.balance === null) === (b.balance === null) &&
  a.without_stx === b.without_stx &&
  a.without_transfers === b.without_transfers &&
  a.paid_nonce === b.paid_nonce;

/** Totals of a principal: received and sent by events, and paid in fees; and the other counters of its list. */
interface Sums {
  received: bigint;
  sent: bigint;
  fees: bigint;
  history: History;
}

type History = Pick<Account, 'without_stx' | 'without_transfers' | 'paid_nonce'>;

const withMember = (before: History, { inStxHistory, inTransferHistory, paidNonce }: Member): History => ({
  without_stx: before.without_stx + (inStxHistory ? 0 : 1),
  without_transfers: before.without_transfers + (inTransferHistory ? 0 : 1),
  paid_nonce: paidNonce === null ? before.paid_nonce : Math.max(before.paid_nonce ?? 0, paidNonce),
});

/** Appends the transactions of a principal to its list, and returns its sums after them. */
function addToList(
  principal: string,
  before: Account,
  parts: Change['parts'],
  firstTx: number,
  workspace: Workspace,
): Sums {
  const { without_stx, without_transfers, paid_nonce } = before;
  const sums: Sums = {
    received: BigInt(before.received),
    sent: BigInt(before.sent),
    fees: BigInt(before.fees),
    history: { without_stx, without_transfers, paid_nonce },
  };
  for (const { tx, member } of parts) {
    sums.received += member.received;
    sums.sent += member.sent;
    sums.fees += member.fee;
    sums.history = withMember(sums.history, member);
    workspace.append(TXS_OF_ADDRESS, principal, entryOf(firstTx + tx, member, sums));
  }
  return sums;
}

function entryOf(tx: number, { sent, fee, received, counts }: Member, sums: Sums): EntryOf<typeof TXS_OF_ADDRESS> {
  return {
    tx,
    sent: String(sent + fee),
    received: String(received),
    counts: counts && packEventCounts(counts),
    totals: packStxTotals(sums),
    ...sums.history,
  };
}

function changesOf(txs: readonly Members[], { minerRewards }: BlockFacts): Map<string, Change> {
  const changes = new Map<string, Change>();
  const changeOf = (principal: string): Change => {
    const change = changes.get(principal) ?? { parts: [], rewards: [] };
    changes.set(principal, change);
    return change;
  };
  for (const [tx, members] of txs.entries())
    for (const [principal, member] of members) changeOf(principal).parts.push({ tx, member });
  // The block with a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards).
  for (const [position, reward] of minerRewards.entries()) {
    changeOf(reward.recipient).rewards.push({
      position,
      miner: reward.miner_address,
      source: hexBytes(reward.from_index_consensus_hash),
      coinbase: BigInt(reward.coinbase_amount),
      fees:
        BigInt(reward.tx_fees_anchored) +
        BigInt(reward.tx_fees_streamed_confirmed) +
        BigInt(reward.tx_fees_streamed_produced),
    });
  }
  return changes;
}

/** Stores the addresses that a block names, even if it is not canonical: a search finds them anyway. */
function keepKnownAddresses(txs: readonly TransactionFacts[], workspace: Workspace): void {
  for (const tx of txs) for (const [principal, { known }] of membersOf(tx)) if (known) keepKnown(principal, workspace);
}

function keepKnown(principal: string, workspace: Workspace): void {
  if (!principal.includes('.')) workspace.keep(KNOWN_ADDRESSES, { address: principal });
}
