import type { PoxEvent } from '../../codec/index.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { POX_OPERATORS, POX_STACKER_COUNTS, POX_STACKERS, ROLES } from './tables.ts';

/** The longest stacking that pox-4 allows is 12 cycles; a window beyond this cannot be one of its events. */
const MOST_CYCLES = 64n;
const SIGNER_KEY_TEXT = 2 + 2 * 33;

/** Whom a stacker chose in a cycle. */
interface Choice {
  readonly cycle: number;
  readonly role: number;
  readonly stacker: string;
  /** Signer key (solo) or operator (pooled); empty when the event names none. */
  readonly representedBy: string;
}

interface Commitment {
  readonly cycle: number;
  readonly operator: string;
  readonly signingKey: string;
}

/**
 * Counts stackers by cycle from the events of pox-4, in chain order: of each stacker the newest event that covers the
 * cycle decides (docs/spec/pox.md#stacker-counts).
 */
export async function countStackers(events: readonly PoxEvent[], workspace: Workspace): Promise<void> {
  await addChoices(events.flatMap(choicesOf), workspace);
  await addCommitments(events.flatMap(commitmentsOf), workspace);
}

function choicesOf({ name, stacker, data }: PoxEvent): Choice[] {
  switch (name) {
    case 'stack-stx':
    case 'stack-increase':
    case 'stack-extend':
      return cyclesOf(data).map(cycle => ({
        cycle,
        role: ROLES.solo,
        stacker,
        representedBy: usableKey(data.signerKey),
      }));
    case 'delegate-stack-stx':
    case 'delegate-stack-increase':
    case 'delegate-stack-extend':
      return cyclesOf(data).map(cycle => ({ cycle, role: ROLES.pooled, stacker, representedBy: data.delegator }));
    default:
      return [];
  }
}

/** A commitment to a signer counts for the one cycle it is made for. */
function commitmentsOf({ name, stacker, data }: PoxEvent): Commitment[] {
  if (name !== 'stack-aggregation-commit' && name !== 'stack-aggregation-commit-indexed') return [];
  const [cycle, ...more] = cyclesOf(data);
  if (cycle === undefined || more.length > 0) return [];
  return [{ cycle, operator: stacker, signingKey: usableKey(data.signerKey) }];
}

const usableKey = (key: string | null): string => (key?.length === SIGNER_KEY_TEXT ? key : '');

interface CycleWindow {
  readonly startCycleId: bigint | null;
  readonly endCycleId: bigint | null;
}

/** The cycles from the first to the one before the end; none when either is open. */
function cyclesOf({ startCycleId: start, endCycleId: end }: CycleWindow): number[] {
  if (start === null || end === null || end <= start || end - start > MOST_CYCLES) return [];
  if (end > BigInt(Number.MAX_SAFE_INTEGER)) return [];
  return Array.from({ length: Number(end - start) }, (_, i) => Number(start) + i);
}

async function addChoices(choices: readonly Choice[], workspace: Workspace): Promise<void> {
  await workspace.load(
    POX_STACKERS,
    choices.map(({ cycle, role, stacker }) => [cycle, role, stacker]),
  );
  const before = ({ cycle, role, stacker }: Choice) => workspace.get(POX_STACKERS, [cycle, role, stacker])?.[3] ?? null;
  const touched = choices.flatMap(choice => {
    const { cycle, role, representedBy } = choice;
    const previous = before(choice);
    return previous === null
      ? [[cycle, role, representedBy]]
      : [
          [cycle, role, representedBy],
          [cycle, role, previous],
        ];
  });
  await workspace.load(POX_STACKER_COUNTS, touched);
  for (const choice of choices) {
    const { cycle, role, stacker, representedBy } = choice;
    const previous = before(choice);
    if (previous === representedBy) continue;
    if (previous !== null) addToCount([cycle, role, String(previous)], -1, workspace);
    addToCount([cycle, role, representedBy], 1, workspace);
    workspace.put(POX_STACKERS, [cycle, role, stacker, representedBy]);
  }
}

function addToCount(
  key: readonly [cycle: number, role: number, representedBy: string],
  change: 1 | -1,
  workspace: Workspace,
): void {
  const count = Number(workspace.get(POX_STACKER_COUNTS, key)?.[3] ?? 0) + change;
  if (count > 0) workspace.put(POX_STACKER_COUNTS, [...key, count]);
  else workspace.remove(POX_STACKER_COUNTS, key);
}

async function addCommitments(commitments: readonly Commitment[], workspace: Workspace): Promise<void> {
  await workspace.load(
    POX_OPERATORS,
    commitments.map(({ cycle, operator }) => [cycle, operator]),
  );
  for (const { cycle, operator, signingKey } of commitments)
    workspace.put(POX_OPERATORS, [cycle, operator, signingKey]);
}
