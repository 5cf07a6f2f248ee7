import { setTimeout as delay } from 'node:timers/promises';
import { openPostgres } from '../../src/base/store/postgres.ts';
import { startPostgres } from '../support/postgres.ts';
import type { Finding, Size } from './finding.ts';

/** The duration of the slow statement, and the longest time that another reader may wait for it. Milliseconds. */
const SLOW_MS = 2_000;
const NOT_DELAYED_MS = SLOW_MS / 2;

/** Runs a slow statement on PostgreSQL in the same turn of the event loop in which others begin to read. */
export async function slowStatement({ name }: Size): Promise<Finding[]> {
  const postgres = await startPostgres();
  if ('missing' in postgres) return [];
  const database = openPostgres(postgres.url);
  let [delayed, wrong, slowest, readers] = [0, 0, 0, 0];
  try {
    for (let times = 0; times < (name === 'full' ? 10 : 2); times++) {
      const sharing = {};
      const begun = performance.now();
      const slow = database.read(q => q.get('SELECT pg_sleep(?), 1 AS n', [SLOW_MS / 1000]), sharing);
      const others = Array.from({ length: 7 }, async (_, i) => {
        const row = await database.read(async q => {
          const first = await q.get<{ n: number }>('SELECT CAST(? AS int) AS n', [i]);
          return q.get<{ n: number }>('SELECT CAST(? AS int) AS n', [(first?.n ?? 0) + 1]);
        }, sharing);
        const ms = performance.now() - begun;
        readers++;
        if (row?.n !== i + 1) wrong++;
        if (ms > NOT_DELAYED_MS) delayed++;
        slowest = Math.max(slowest, ms);
      });
      await Promise.all([...others, slow]);
      await delay(10);
    }
  } finally {
    await database.close();
    await postgres.stop();
  }
  return [
    { what: `readers that wait for the statement of another, of ${readers}`, worst: delayed, bound: 0, unit: '' },
    { what: 'wrong results', worst: wrong, bound: 0, unit: '' },
    { what: 'the longest wait', worst: slowest, bound: 200, unit: 'ms', isDelay: true },
  ];
}
