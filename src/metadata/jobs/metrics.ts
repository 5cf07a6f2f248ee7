import type { Database } from '../../base/store/database.ts';
import type { JobKind, JobState } from './job.ts';
import type { JobResult } from './queue.ts';

/** Plain numbers about the metadata worker: `jobs_waiting`, `outcome_token_done`, `outcome_image_108`, `queue_age_seconds` ... */
export type MetadataFigures = Readonly<Record<string, number>>;

/** Counts how jobs end, since the start of the worker. */
export class OutcomeCounter {
  readonly #counts: Record<string, number> = {};

  /** By kind of job, and `done` or the reason number of the error. */
  count(kind: JobKind, result: JobResult): void {
    const [part] = kind.split(':', 1);
    const name = `outcome_${part}_${result.ok ? 'done' : result.error.error.reason}`;
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  counts(): MetadataFigures {
    return { ...this.#counts };
  }
}

const STATES: readonly JobState[] = ['waiting', 'running', 'done', 'failed', 'invalid'];

/** The jobs by state, and the longest waiting time of a due job. */
export function readQueueFigures(db: Database, now: number): Promise<MetadataFigures> {
  return db.read(async queries => {
    const figures: Record<string, number> = {};
    for (const state of STATES) {
      const row = await queries.get<{ jobs: number; due: number | null }>(
        'SELECT COUNT(*) AS jobs, MIN(run_after) AS due FROM metadata_jobs WHERE state = ?',
        [state],
      );
      figures[`jobs_${state}`] = row?.jobs ?? 0;
      if (state === 'waiting') figures.queue_age_seconds = Math.max(0, (now - (row?.due ?? now)) / 1000);
    }
    return figures;
  });
}
