import { type Difference, differencesOf } from './differences.ts';
import type { ComparedResponse } from './server.ts';
import { comparable, type Rules, statusTolerance, toleranceOf } from './tolerances.ts';

/** What two responses to one question are to each other. */
export interface Verdict {
  /** What should be equal and is not. */
  readonly differences: readonly Difference[];
  /** Why other differences are expected. */
  readonly tolerated: readonly string[];
  /** Neither server has the requested record. */
  readonly refused?: true;
}

export function verdictOn(
  operationId: string,
  ours: ComparedResponse,
  theirs: ComparedResponse,
  rules: Rules,
): Verdict {
  if (ours.status !== theirs.status) {
    const why = statusTolerance(ours, theirs, rules);
    const difference = { at: 'status', ours: ours.status, theirs: theirs.status };
    return why === undefined ? { differences: [difference], tolerated: [] } : { differences: [], tolerated: [why] };
  }
  // Texts of errors may differ.
  if (ours.status >= 400) return { differences: [], tolerated: [], refused: true };
  const all = differencesOf(...comparable(operationId, ours.body, theirs.body));
  const judged = all.map(difference => ({ difference, why: toleranceOf(operationId, difference, rules) }));
  return {
    differences: judged.flatMap(({ difference, why }) => (why === undefined ? [difference] : [])),
    tolerated: [...new Set(judged.flatMap(({ why }) => why ?? []))],
  };
}
