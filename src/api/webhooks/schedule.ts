/** Computes when an unconfirmed body is sent again (docs/spec/live.md#webhooks). Times in milliseconds. */

interface Failing {
  /** Failures since the last success. */
  readonly failures: number;
  /** When the first of them was; null without any. */
  readonly failingSince: number | null;
}

export interface AfterFailure {
  readonly failures: number;
  readonly failingSince: number;
  readonly runAfter: number;
  /** Nothing is sent any more until an operator resumes the webhook. */
  readonly isParked: boolean;
}

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 3_600_000;
const PATIENCE = 24 * 3_600_000;

/**
 * The state after a failure: pauses double from 1 s to 1 h; 24 h after the first failure the webhook is parked. @param
 * now Unix time
 */
export function afterFailure({ failures, failingSince }: Failing, now: number): AfterFailure {
  const since = failingSince ?? now;
  return {
    failures: failures + 1,
    failingSince: since,
    runAfter: now + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures, 30)),
    isParked: now - since >= PATIENCE,
  };
}
