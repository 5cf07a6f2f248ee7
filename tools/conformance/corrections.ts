import type { Recorded } from '../../test/support/recording.ts';
import { withBootTransactions } from './recorded-boot.ts';
import { withoutNamesakes } from './recorded-burn-heights.ts';
import { withNewestCursors } from './recorded-cursors.ts';
import { withListedHolders } from './recorded-holders.ts';
import { withoutOrphanedBurnBlocks } from './recorded-orphans.ts';
import { withoutMined } from './recorded-pending.ts';
import { withRefusals } from './recorded-refusals.ts';
import { withOneSearch } from './recorded-searches.ts';
import { withTrueTotals } from './recorded-totals.ts';
import { withImplementations } from './recorded-traits.ts';
import { withEpoch } from './recorded-wrong.ts';
import { withZeroAsNumber } from './recorded-zeros.ts';

/** Corrects a whole recording. @returns the responses to compare with, and how many were changed or left out */
export type Correction = <A extends Recorded>(responses: readonly A[]) => { responses: A[]; changed: number };

/** By the words of the report: "12 with ...". Each is given what the one before leaves. docs/compatibility.md has the reasons. */
const CORRECTIONS: Readonly<Record<string, Correction>> = {
  'to be refused': withRefusals,
  'that refuse a listed holder': withListedHolders,
  'with another total than they list': withTrueTotals,
  'without boot transactions': withBootTransactions,
  'of burn blocks with orphaned blocks only': withoutOrphanedBurnBlocks,
  'without a cursor near the tip, or not found past it': withNewestCursors,
  'without a text for the time 0': withEpoch,
  'that search by their metadata': withOneSearch,
  'with a trait compared as JSON': withImplementations,
  'with 0 for no filter': withZeroAsNumber,
  'with two burn blocks of one height as one': withoutNamesakes,
};

/**
 * What to compare with in place of the recorded responses of the first 23 routes, as far as the recording itself tells.
 * @param others the responses of other routes in the same state
 */
export function corrected<A extends Recorded>(
  recording: readonly A[],
  others: readonly Recorded[] = [],
): { readonly responses: A[]; readonly changed: Readonly<Record<string, number>> } {
  const pending = withoutMined(recording, others);
  const changed: Record<string, number> = { 'with other transactions as pending': pending.changed };
  let { responses } = pending;
  for (const [reason, correct] of Object.entries(CORRECTIONS)) {
    const result = correct(responses);
    responses = result.responses;
    changed[reason] = result.changed;
  }
  return { responses, changed };
}
