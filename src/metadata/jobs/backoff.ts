import type { JobError, JobState } from './job.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

const FIRST_RETRY = 5 * SECOND;
const LONGEST_RETRY = 6 * HOUR;
/**
 * Pauses after a permanent error, ever longer: content may appear late, and owners may repair their contracts.
 */
const SLOW_RETRIES = [HOUR, 6 * HOUR, DAY, 7 * DAY, 30 * DAY] as const;

/** The state of a job after a failed attempt. */
interface NextAttempt {
  readonly state: Extract<JobState, 'waiting' | 'failed' | 'invalid'>;
  readonly attempts: number;
  /** Unix milliseconds. */
  readonly runAfter: number;
}

interface Before {
  /** State when the job was claimed. */
  readonly state: JobState;
  readonly attempts: number;
}

/**
 * Computes when a failed job runs again. Transient error: after 5 s, doubling to 6 h, until the retries are used up;
 * permanent: after 1 h, 6 h, 24 h, 7 d, then monthly. A rate-limited attempt does not count.
 * @param random 0 to 1: spreads jobs that failed together
 */
export function nextAttempt(
  before: Before,
  error: JobError,
  retries: number,
  now: number,
  random: number,
): NextAttempt {
  const wait = (ms: number) => Math.round(now + ms * (1 + random / 4));
  if (error.kind === 'rate-limited')
    return { state: 'waiting', attempts: before.attempts, runAfter: wait(error.retryAfterMs ?? FIRST_RETRY) };
  const attempts = before.attempts + 1;
  if (error.kind === 'unavailable' || error.kind === 'not-yet')
    return { state: 'waiting', attempts, runAfter: wait(fastRetry(attempts)) };
  const patience = error.patience ?? retries;
  // A job that has failed for good gets no new round of quick retries.
  const ended = before.state === 'invalid' || before.state === 'failed';
  if (error.kind === 'transient' && attempts <= patience && !ended)
    return { state: 'waiting', attempts, runAfter: wait(fastRetry(attempts)) };
  const usedUp = error.kind === 'transient' && error.patience === undefined;
  // The slow retries are counted from the first of them.
  const round = ended ? attempts : 1;
  return { state: usedUp ? 'failed' : 'invalid', attempts: round, runAfter: wait(slowRetry(round)) };
}

const fastRetry = (attempt: number): number => Math.min(FIRST_RETRY * 2 ** (attempt - 1), LONGEST_RETRY);

const slowRetry = (round: number): number => SLOW_RETRIES[round - 1] ?? 30 * DAY;
