import type { JobContext } from './context.ts';
import { runContractJob } from './contract-job.ts';
import type { Job } from './job.ts';
import { runImageJob, runLocaleJob } from './part-jobs.ts';
import type { JobResult } from './queue.ts';
import { runRefreshJob } from './refresh-job.ts';
import { runTokenJob } from './token-job.ts';

/** Does what a job wants. @throws the reason of the signal, when it is aborted; database errors */
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
