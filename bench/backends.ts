import { readFileSync } from 'node:fs';
import pg from 'pg';
import { postgresUrl } from '../src/base/store/open.ts';
import type { Place } from './place.ts';

/** The PostgreSQL processes that work for a program; figures are NaN if the server is on another machine. */
export interface Backends {
  cpuMicros(): Promise<number>;
  close(): Promise<void>;
}

/** Updates the statistics, as a server does by itself within minutes: without them some plans are poor. */
export async function analyze(place: Place): Promise<void> {
  const client = await connect(place);
  await client.query('ANALYZE');
  await client.end();
}

/** @param application the name that the connections of the program have */
export async function openBackends(place: Place, application = 'stacks-index'): Promise<Backends> {
  const client = await connect(place);
  const known = new Map<number, number>();
  let total = 0;
  return {
    async cpuMicros() {
      const { rows } = await client.query<{ pid: number }>(
        'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
        [application],
      );
      for (const { pid } of rows) {
        const micros = schedulerMicros(pid);
        total += micros - (known.get(pid) ?? micros);
        known.set(pid, micros);
      }
      return total;
    },
    close: () => client.end(),
  };
}

async function connect({ args }: Place): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgresUrl(args[args.indexOf('--database') + 1] ?? '') });
  await client.connect();
  return client;
}

function schedulerMicros(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e3;
  } catch {
    return Number.NaN;
  }
}
