import type { BlockFacts, TransactionFacts } from '../../chain/block-facts.ts';
import type { Network } from '../../chain/network.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { firstPositionOf } from '../transactions/queries.ts';
import { addLocks, lockEventsOf } from './lock-events.ts';
import { type Member, membersOf } from './members.ts';
import { ACCOUNTS, KNOWN_ADDRESSES, LOCKS, TXS_OF_ADDRESS } from './tables.ts';

type Members = ReadonlyMap<string, Member>;

/**
 * Transactions of every principal with its part in them, balances, locks (searchById, getAddressTransactions). Runs after the
 * transactions.
 */
export const addressesProjection: Projection = {
  name: 'addresses',
  stateTables: [ACCOUNTS, LOCKS],
  keptTables: [KNOWN_ADDRESSES],
  lists: [TXS_OF_ADDRESS],

  async prepare(block: BlockFacts, workspace: Workspace, network: Network) {
    const members = block.txs.map(membersOf);
    const changes = changesOf(members, block);
    const locks = lockEventsOf(block, network);
    await Promise.all([
      workspace.loadLists(TXS_OF_ADDRESS, new Set(members.flatMap(parts => [...parts.keys()]))),
      workspace.load(
        ACCOUNTS,
        [...changes.keys()].map(principal => ({ principal })),
      ),
      workspace.load(LOCKS, locks),
    ]);
    return (unit: Unit) => {
      addToLists(members, firstPositionOf(unit, workspace), workspace);
      addToAccounts(changes, workspace);
      addLocks(locks, block.burnBlockHeight, workspace);
    };
  },

  hooks: ({ workspace }) => ({
    blockOffTip: ({ txs }) => keepKnownAddresses(txs, workspace),
  }),
};

function addToLists(txs: readonly Members[], firstPosition: number, workspace: Workspace): void {
  for (const [i, members] of txs.entries()) {
    for (const [principal, { listed, sent, fee, received, counts }] of members) {
      if (!listed) continue;
      const shownCounts = counts.some(count => count > 0) ? JSON.stringify(counts) : null;
      workspace.append(TXS_OF_ADDRESS, principal, {
        tx: firstPosition + i,
        sent: String(sent + fee),
        received: String(received),
        counts: shownCounts,
      });
    }
  }
}

/** What a block adds to an account. */
interface Change {
  received: bigint;
  sent: bigint;
  fees: bigint;
  rewards: bigint;
  known: boolean;
}

const NEW_ACCOUNT = { received: '0', sent: '0', fees: '0', rewards: '0', known: 0 };

function addToAccounts(changes: ReadonlyMap<string, Change>, workspace: Workspace): void {
  for (const [principal, change] of changes) {
    const account = workspace.get(ACCOUNTS, { principal }) ?? NEW_ACCOUNT;
    const isNew = change.known && account.known !== 1;
    if (isNew) keepKnown(principal, workspace);
    const { received, sent, fees, rewards } = change;
    if (!isNew && received === 0n && sent === 0n && fees === 0n && rewards === 0n) continue;
    workspace.put(ACCOUNTS, {
      principal,
      received: plus(account.received, received),
      sent: plus(account.sent, sent),
      fees: plus(account.fees, fees),
      rewards: plus(account.rewards, rewards),
      known: isNew ? 1 : account.known,
    });
  }
}

const plus = (text: string, amount: bigint): string => String(BigInt(text) + amount);

function changesOf(txs: readonly Members[], { minerRewards }: BlockFacts): Map<string, Change> {
  const changes = new Map<string, Change>();
  const changeOf = (principal: string): Change => {
    const change = changes.get(principal) ?? { received: 0n, sent: 0n, fees: 0n, rewards: 0n, known: false };
    changes.set(principal, change);
    return change;
  };
  for (const members of txs) {
    for (const [principal, member] of members) {
      const change = changeOf(principal);
      change.received += member.received;
      change.sent += member.sent;
      change.fees += member.fee;
      change.known ||= member.known;
    }
  }
  // The block that carries a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards).
  for (const reward of minerRewards) {
    changeOf(reward.recipient).rewards +=
      BigInt(reward.coinbase_amount) +
      BigInt(reward.tx_fees_anchored) +
      BigInt(reward.tx_fees_streamed_confirmed) +
      BigInt(reward.tx_fees_streamed_produced);
  }
  return changes;
}

/** Remembers the addresses that a block names though it is not, or not yet, canonical: a search finds them all the same. */
function keepKnownAddresses(txs: readonly TransactionFacts[], workspace: Workspace): void {
  for (const tx of txs) for (const [principal, { known }] of membersOf(tx)) if (known) keepKnown(principal, workspace);
}

function keepKnown(principal: string, workspace: Workspace): void {
  if (!principal.includes('.')) workspace.keep(KNOWN_ADDRESSES, { address: principal });
}
