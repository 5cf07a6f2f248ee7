import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DeadlineError, withDeadline } from '../../base/lib/deadline.ts';
import { fail } from '../../base/lib/result.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { retrying } from '../../base/store/retry.ts';
import { REASON } from '../errors.ts';
import { runContractJob, runRefreshJob } from './contract-jobs.ts';
import { followIndex } from './follow.ts';
import { type Job, type JobContext, type JobError, type Lane, laneOf } from './job.ts';
import { type MetadataFigures, OutcomeCounter, readQueueFigures } from './metrics.ts';
import { JobQueue, type JobResult } from './queue.ts';
import { runImageJob, runLocaleJob, runTokenJob } from './token-jobs.ts';

export interface RunnerOptions extends JobContext {
  readonly logger: Logger;
  /** Free bytes where metadata is stored; undefined: no limit. */
  readonly freeBytes?: () => Promise<number>;
  /** 0 to 1; for tests. */
  readonly random?: () => number;
}

/** Poll interval for jobs that other processes enqueue. */
const LOOK_AGAIN_MS = 2_000;
const SHORTEST_WAIT_MS = 50;
/** Poll interval while work waits for a place: the end of a job wakes the worker, the end of a budget's pause does not. */
const NO_PLACE_MS = 500;
const DATABASE_RETRY_MS = 1_000;
/** Number of jobs in a row without a response of the node after which the others wait, too. */
const NODE_FAILURES = 3;
const NODE_PAUSE_MS = 5_000;
const LONGEST_NODE_PAUSE_MS = 60_000;

/** Follows the index, and runs the resulting jobs, as many at a time as the limits allow. */
export class MetadataRunner {
  readonly #options: RunnerOptions;
  readonly #queue: JobQueue;
  readonly #outcomes = new OutcomeCounter();
  readonly #running = new Map<Job, Promise<void>>();
  #wake = Promise.withResolvers<void>();
  #nodeFailures = 0;
  #hadRoom = true;
  #pausedUntil = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#queue = new JobQueue(options);
  }

  /** Wakes the runner, as there may be work. */
  poke(): void {
    this.#wake.resolve();
  }

  async figures(): Promise<MetadataFigures> {
    const { db, now } = this.#options;
    return { ...(await readQueueFigures(db, now())), ...this.#outcomes.counts() };
  }

  /**
   * Works until the signal, then releases jobs that are still running. @throws errors that a retry cannot solve, such
   * as FatalDatabaseError
   */
  async run(stop: AbortSignal): Promise<void> {
    const wake = () => this.poke();
    stop.addEventListener('abort', wake);
    try {
      while (!stop.aborted) await this.#round(stop);
    } finally {
      stop.removeEventListener('abort', wake);
      await Promise.allSettled(this.#running.values());
    }
  }

  async #round(stop: AbortSignal): Promise<void> {
    this.#wake = Promise.withResolvers();
    try {
      if (!(await this.#hasRoom())) return await this.#wait();
      const moved = await followIndex(this.#options);
      await this.#queue.expire();
      const started = await this.#startJobs(stop);
      if (!moved && started === 0) await this.#wait();
    } catch (error) {
      if (!(error instanceof RetryableDatabaseError)) throw error;
      this.#options.logger.warn({ err: error }, 'metadata database not available; trying again');
      await Promise.race([delay(DATABASE_RETRY_MS), aborted(stop)]);
    }
  }

  /** Whether the disk has enough free space for fetched content; the chain has priority. */
  async #hasRoom(): Promise<boolean> {
    const { freeBytes, limits, logger } = this.#options;
    if (!freeBytes) return true;
    const free = await freeBytes();
    const hasRoom = free >= limits.freeBytes;
    if (hasRoom !== this.#hadRoom) {
      const about = { free, floor: limits.freeBytes };
      if (hasRoom) logger.info(about, 'there is disk space for token metadata again: fetching goes on');
      else
        logger.error(
          about,
          'too little free disk space: no token metadata is fetched until there is more, or --metadata-free-space is lower',
        );
    }
    this.#hadRoom = hasRoom;
    return hasRoom;
  }

  async #startJobs(stop: AbortSignal): Promise<number> {
    if (this.#options.now() < this.#pausedUntil) return 0;
    const { concurrency, imageConcurrency } = this.#options.limits;
    return (
      (await this.#startLane('others', concurrency, stop)) + (await this.#startLane('images', imageConcurrency, stop))
    );
  }

  async #startLane(lane: Lane, places: number, stop: AbortSignal): Promise<number> {
    const running = this.#runningIn(lane);
    const free = places - running.length;
    if (free <= 0) return 0;
    // A contract never gets all places: if its host hangs, all others would wait.
    const most = Math.max(1, Math.floor(places / 2));
    const room = (contractId: string) =>
      lane === 'images' && this.#options.images?.budget?.has(contractId) === false
        ? 0
        : most - running.filter(job => job.contractId === contractId).length;
    const jobs = await this.#queue.claim(free, lane, room);
    for (const job of jobs) {
      const done = this.#work(job, stop).finally(() => {
        this.#running.delete(job);
        this.poke();
      });
      this.#running.set(job, done);
    }
    return jobs.length;
  }

  #runningIn(lane: Lane): Job[] {
    return [...this.#running.keys()].filter(({ kind }) => laneOf(kind) === lane);
  }

  async #work(job: Job, stop: AbortSignal): Promise<void> {
    const { limits, logger } = this.#options;
    try {
      const result = await this.#result(job, stop);
      const patienceMs = limits.leaseMarginMs;
      const onFailure = (error: unknown) => logger.debug({ err: error, job }, 'result not stored yet');
      const isOurs = await retrying(() => this.#queue.finish(job, result), { onFailure, signal: stop, patienceMs });
      if (!isOurs) return;
      this.#outcomes.count(job.kind, result);
      this.#noteNode(result);
      if (!result.ok) logger.debug({ job, error: result.error.error }, 'metadata job failed');
    } catch (error) {
      // A job whose result cannot be stored ends with its lease, which counts as an attempt.
      if (stop.aborted || error instanceof RetryableDatabaseError) await this.#queue.release([job]).catch(() => {});
      if (!stop.aborted)
        logger.warn({ err: error, job }, 'the result of a metadata job was not stored; the job runs again');
    }
  }

  async #result(job: Job, stop: AbortSignal): Promise<JobResult> {
    const { limits, logger } = this.#options;
    try {
      return await withDeadline(limits.jobMs, stop, signal => runJob(job, this.#options, signal));
    } catch (error) {
      if (stop.aborted || error instanceof RetryableDatabaseError) throw error;
      if (error instanceof DeadlineError) return failed(timeoutReason(job), `it took longer than ${limits.jobMs} ms`);
      logger.error({ err: error, job }, 'metadata job failed unexpectedly');
      return failed(REASON.unknown, error instanceof Error ? error.message : String(error));
    }
  }

  /** While the node does not respond, jobs wait instead of failing one after the other. */
  #noteNode(result: JobResult): void {
    if (result.ok || result.error.error.kind !== 'unavailable') {
      this.#nodeFailures = 0;
      return;
    }
    this.#nodeFailures++;
    if (this.#nodeFailures < NODE_FAILURES) return;
    const pause = Math.min(NODE_PAUSE_MS * 2 ** (this.#nodeFailures - NODE_FAILURES), LONGEST_NODE_PAUSE_MS);
    this.#pausedUntil = this.#options.now() + pause;
    const { message } = result.error.error;
    this.#options.logger.warn({ message, pause }, 'the node does not respond; metadata waits');
  }

  /** Waits until the runner is woken, or a job is due. */
  async #wait(): Promise<void> {
    const { limits, now } = this.#options;
    const full = this.#runningIn('others').length >= limits.concurrency;
    const due = full ? undefined : await this.#queue.nextDue();
    const until = Math.max(due ?? Number.POSITIVE_INFINITY, this.#pausedUntil) - now();
    const ms = until <= 0 ? NO_PLACE_MS : Math.min(Math.max(until, SHORTEST_WAIT_MS), LOOK_AGAIN_MS);
    const timer = new AbortController();
    await Promise.race([this.#wake.promise, delay(ms, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
}

const failed = (reason: JobError['reason'], message: string): JobResult =>
  fail({ error: { reason, kind: 'transient', message } });

const timeoutReason = ({ kind }: Job): JobError['reason'] =>
  kind.startsWith('image:') ? REASON.imageTimeout : REASON.documentTimeout;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Runs a job. @throws the reason of the signal, when it is aborted; database errors */
export function runJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  switch (job.kind) {
    case 'contract':
      return runContractJob(job, context, signal);
    case 'refresh':
      return runRefreshJob(job, context, signal);
    case 'token':
      return runTokenJob(job, context, signal);
    default:
      return job.kind.startsWith('image:') ? runImageJob(job, context, signal) : runLocaleJob(job, context, signal);
  }
}
