import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { poxContract, poxPrints } from '../pox/prints.ts';
import { addLockEvent, type LockEvent, type PoxVersion } from './locks.ts';
import { packLocks, readLocks } from './stored.ts';
import { LOCKS, LOCKS_OF_ADDRESS } from './tables.ts';

/** PoX 2 to 4 report locks in prints, because an unlock has no event; PoX 1 and 5 in lock events. */
const PRINTS: Readonly<Record<string, PoxVersion>> = { 'pox-2': 2, 'pox-3': 3, 'pox-4': 4 };
const LOCK_EVENTS: Readonly<Record<string, PoxVersion>> = { pox: 1, 'pox-5': 5 };

interface FoundEvent {
  readonly principal: string;
  readonly version: PoxVersion;
  readonly event: LockEvent;
}

/** The lock events of the transactions of a block. */
export const lockEventsOf = (block: BlockFacts, network: Network): FoundEvent[] => [
  ...lockEvents(block),
  ...poxEvents(block, network),
];

/** Writes lock events. The rows and the lists of their principals must be loaded. */
export function addLocks(found: readonly FoundEvent[], burnBlockHeight: number, workspace: Workspace): void {
  for (const { principal, version, event } of found) {
    const row = workspace.get(LOCKS, { principal });
    const before = row ? readLocks(row.locks) : {};
    const locks = packLocks(addLockEvent(before, version, event, burnBlockHeight));
    workspace.put(LOCKS, { principal, locks });
    workspace.append(LOCKS_OF_ADDRESS, principal, { height: event.height, locks });
  }
}

function lockEvents(block: BlockFacts): FoundEvent[] {
  return block.txs.flatMap(({ txId, events }) =>
    events.flatMap(event => {
      if (event.kind !== 'stx_lock') return [];
      const { address: principal, lockedAmount: locked, unlockHeight, contractId } = event;
      // Nodes before 2.1 name no contract: there was only one.
      const version = LOCK_EVENTS[contractId === null ? 'pox' : (poxContract(contractId) ?? '')];
      if (version === undefined) return [];
      return [{ principal, version, event: { txId, locked, unlockHeight, ...blockHeights(block), ends: false } }];
    }),
  );
}

/** Operations that lock nothing, although the API in production counts them as locks (docs/compatibility.md). */
const LOCKS_NOTHING: ReadonlySet<string> = new Set([
  'delegate-stx',
  'revoke-delegate-stx',
  'stack-aggregation-commit',
  'stack-aggregation-commit-indexed',
  'stack-aggregation-increase',
]);

function poxEvents(block: BlockFacts, network: Network): FoundEvent[] {
  return poxPrints(block, network).flatMap(({ contract, txId, event }) => {
    const version = PRINTS[contract];
    if (version === undefined || event === null || LOCKS_NOTHING.has(event.name)) return [];
    const unlockHeight = Number(event.burnchainUnlockHeight);
    const lock: LockEvent = {
      txId,
      locked: String(event.locked),
      unlockHeight: Math.min(unlockHeight, Number.MAX_SAFE_INTEGER),
      ...blockHeights(block),
      ends: event.name === 'handle-unlock',
    };
    return [{ principal: event.stacker, version, event: lock }];
  });
}

const blockHeights = ({ height, burnBlockHeight }: BlockFacts) => ({
  height,
  burnHeight: Math.max(burnBlockHeight, 0),
});
