import type { BlockFacts, TransactionFacts } from '../../chain/block-facts.ts';
import type { Network } from '../../chain/network.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { firstPositionOf } from '../transactions/positions.ts';
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
        [...changes.keys()].map(principal => [principal]),
      ),
      workspace.load(
        LOCKS,
        locks.map(({ principal }) => [principal]),
      ),
    ]);
    return (unit: Unit) => {
      addToLists(members, firstPositionOf(unit, workspace), workspace);
      addToAccounts(changes, workspace);
      addLocks(locks, block.burnBlockHeight, workspace);
    };
  },

  hooks: ({ workspace }) => ({
    blockSetAside: ({ txs }) => keepKnownAddresses(txs, workspace),
  }),
};

function addToLists(txs: readonly Members[], firstPosition: number, workspace: Workspace): void {
  for (const [i, members] of txs.entries()) {
    for (const [principal, { listed, sent, fee, received, counts }] of members) {
      if (!listed) continue;
      const shownCounts = counts.some(count => count > 0) ? JSON.stringify(counts) : null;
      const columns = [firstPosition + i, String(sent + fee), String(received), shownCounts];
      workspace.append(TXS_OF_ADDRESS, principal, columns);
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

function addToAccounts(changes: ReadonlyMap<string, Change>, workspace: Workspace): void {
  for (const [principal, change] of changes) {
    const [, received, sent, fees, rewards, known] = workspace.get(ACCOUNTS, [principal]) ?? [principal, 0, 0, 0, 0, 0];
    const isNew = change.known && known !== 1;
    if (isNew) keepKnown(principal, workspace);
    const { received: r, sent: s, fees: f, rewards: w } = change;
    if (!isNew && r === 0n && s === 0n && f === 0n && w === 0n) continue;
    const sums = [plus(received, r), plus(sent, s), plus(fees, f), plus(rewards, w)];
    workspace.put(ACCOUNTS, [principal, ...sums, change.known || known === 1 ? 1 : 0]);
  }
}

const plus = (text: unknown, amount: bigint): string => String(BigInt(text as string) + amount);

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
  if (!principal.includes('.')) workspace.keep(KNOWN_ADDRESSES, [principal]);
}
