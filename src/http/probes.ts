/** `/livez` and `/readyz`, for load balancers and Kubernetes. */
import { unavailable } from './errors.ts';
import type { Api } from './server.ts';
import type { StatusSource } from './status.ts';

/** Adds both probes. They are answered under any load: turning them away would have a busy process killed. */
export function addProbes(api: Api, source: StatusSource): void {
  const config = { neverShed: true };
  /** The process runs. */
  api.get('/livez', { config }, async () => '{"status":"ok"}');
  /** The database can be read, so requests can be answered; how far behind the index is, is for the reader to judge. */
  api.get('/readyz', { config }, async request => {
    const status = await Promise.resolve(source.current()).catch((error: unknown) => {
      request.log.warn({ err: error, reqId: request.id }, 'not ready');
      throw unavailable();
    });
    return JSON.stringify({ status: 'ready', lag: status.journalPosition - status.indexedPosition });
  });
}
