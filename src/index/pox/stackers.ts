import type { PoxEvent } from '../../base/codec/index.ts';
import { amountOfRank, rankOf } from '../../base/lib/number-bytes.ts';
import type { KeyOf } from '../../base/store/table.ts';
import type { Workspace, WrittenRow } from '../../ingest/indexer/workspace.ts';
import { POX_CYCLE_STAKES, POX_OPERATORS, POX_STACKER_COUNTS, POX_STACKERS, ROLES } from './tables.ts';

/** The longest stacking that pox-4 allows is 12 cycles; a window beyond this cannot be one of its events. */
const MOST_CYCLES = 64n;
const SIGNER_KEY_TEXT = 2 + 2 * 33;

/**
 * The choice of a stacker in a cycle: the signer of this key (solo) or an operator (pooled); empty if the event names neither.
 */
export type Choice = WrittenRow<typeof POX_STACKERS> & {
  /** Whether amount and address stay those of the previous event (docs/spec/pox.md#stackers-of-a-signer). */
  readonly changesSignerOnly: boolean;
};

/** The rows that the rules of stackers read and write: those of the index, or those that a check recomputes. */
export type StackingRows = Pick<Workspace, 'load' | 'get' | 'put' | 'remove'>;

/** A stacker who does not stack in a cycle any more. */
export type Departure = KeyOf<typeof POX_STACKERS> & { readonly represented_by: null };

/** The signer that an operator of a pool committed to in a cycle. */
type Commitment = WrittenRow<typeof POX_OPERATORS>;

/**
 * Counts stackers by cycle from the events of pox-4, in chain order: for each stacker, the newest event that covers the
 * cycle decides (docs/spec/pox.md#stacker-counts).
 */
export async function countStackers(events: readonly PoxEvent[], workspace: StackingRows): Promise<void> {
  await addChoices(events.flatMap(choicesOf), workspace);
  await addCommitments(events.flatMap(commitmentsOf), workspace);
}

/** The choices that an event of pox-4 makes, in each cycle that it covers. */
function choicesOf(event: PoxEvent): Choice[] {
  const { name, stacker, data } = event;
  const stacked = {
    stacker,
    rank: rankOf(event.locked),
    pox_address: event.poxAddr,
    in_bond: 0,
    changesSignerOnly: name === 'stack-increase',
  };
  switch (name) {
    case 'stack-stx':
    case 'stack-increase':
    case 'stack-extend': {
      const represented_by = usableKey(data.signerKey);
      return cyclesOf(data).map(cycle => ({ cycle, role: ROLES.solo, represented_by, ...stacked }));
    }
    case 'delegate-stack-stx':
    case 'delegate-stack-increase':
    case 'delegate-stack-extend': {
      const represented_by = data.delegator;
      return cyclesOf(data).map(cycle => ({ cycle, role: ROLES.pooled, represented_by, ...stacked }));
    }
    case 'delegate-stx':
    case 'revoke-delegate-stx':
    case 'handle-unlock':
    case 'stack-aggregation-commit':
    case 'stack-aggregation-commit-indexed':
    case 'stack-aggregation-increase':
      return [];
    default:
      return name satisfies never;
  }
}

/** The commitments of an event to signers; each counts for one cycle. */
function commitmentsOf({ name, stacker, data }: PoxEvent): Commitment[] {
  if (name !== 'stack-aggregation-commit' && name !== 'stack-aggregation-commit-indexed') return [];
  const [cycle, ...more] = cyclesOf(data);
  if (cycle === undefined || more.length > 0) return [];
  return [{ cycle, operator: stacker, signing_key: usableKey(data.signerKey) }];
}

const usableKey = (key: string | null): string => (key?.length === SIGNER_KEY_TEXT ? key : '');

interface CycleWindow {
  readonly startCycleId: bigint | null;
  readonly endCycleId: bigint | null;
}

/** The cycles from the first up to the end (exclusive); none if either is open. */
function cyclesOf({ startCycleId: start, endCycleId: end }: CycleWindow): number[] {
  if (start === null || end === null || end <= start || end - start > MOST_CYCLES) return [];
  if (end > BigInt(Number.MAX_SAFE_INTEGER)) return [];
  return Array.from({ length: Number(end - start) }, (_, i) => Number(start) + i);
}

/** Stores which signer or operator each stacker chose, and counts them. */
export async function addChoices(choices: readonly (Choice | Departure)[], workspace: StackingRows): Promise<void> {
  await workspace.load(POX_STACKERS, choices);
  await workspace.load(
    POX_STACKER_COUNTS,
    choices.flatMap(choice => {
      const before = workspace.get(POX_STACKERS, choice);
      const chosen = choice.represented_by === null ? [] : [choice];
      return before ? [...chosen, before] : chosen;
    }),
  );
  const ofStakers = choices.filter(({ role }) => role === ROLES.staker);
  await workspace.load(
    POX_CYCLE_STAKES,
    ofStakers.flatMap(({ cycle }) => [0, 1].map(in_bond => ({ cycle, in_bond }))),
  );
  for (const choice of choices) {
    const before = workspace.get(POX_STACKERS, choice);
    if (before) addToStakes(before, -1, workspace);
    if (choice.represented_by !== null) addToStakes(choice, 1, workspace);
    if (choice.represented_by === null) {
      if (before) addToCount(before, -1, workspace);
      if (before) workspace.remove(POX_STACKERS, choice);
      continue;
    }
    const { represented_by } = choice;
    workspace.put(POX_STACKERS, before && choice.changesSignerOnly ? { ...before, represented_by } : choice);
    if (before?.represented_by === represented_by) continue;
    if (before) addToCount(before, -1, workspace);
    addToCount(choice, 1, workspace);
  }
}

/** Adds to the stakes of a cycle; only for stakers of PoX 5. */
function addToStakes(
  { cycle, role, in_bond, rank }: Pick<Choice, 'cycle' | 'role' | 'in_bond' | 'rank'>,
  change: 1 | -1,
  workspace: StackingRows,
): void {
  if (role !== ROLES.staker) return;
  const before = workspace.get(POX_CYCLE_STAKES, { cycle, in_bond });
  const stakers = (before?.stakers ?? 0) + change;
  const ustx = String(BigInt(before?.ustx ?? 0) + BigInt(change) * amountOfRank(rank));
  if (stakers > 0) workspace.put(POX_CYCLE_STAKES, { cycle, in_bond, stakers, ustx });
  else workspace.remove(POX_CYCLE_STAKES, { cycle, in_bond });
}

function addToCount(key: KeyOf<typeof POX_STACKER_COUNTS>, change: 1 | -1, workspace: StackingRows): void {
  const stackers = (workspace.get(POX_STACKER_COUNTS, key)?.stackers ?? 0) + change;
  const { cycle, role, represented_by } = key;
  if (stackers > 0) workspace.put(POX_STACKER_COUNTS, { cycle, role, represented_by, stackers });
  else workspace.remove(POX_STACKER_COUNTS, key);
}

async function addCommitments(commitments: readonly Commitment[], workspace: StackingRows): Promise<void> {
  await workspace.load(POX_OPERATORS, commitments);
  for (const commitment of commitments) workspace.put(POX_OPERATORS, commitment);
}
