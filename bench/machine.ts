import { cpus, totalmem } from 'node:os';
import pg from 'pg';
import { parseLocation } from '../src/base/store/open.ts';
import type { Cell } from './report.ts';

/** Describes the properties of the machine that affect figures, without anything that identifies it. */
export async function describeMachine(database: string | undefined): Promise<(readonly [what: string, value: Cell])[]> {
  const [core] = cpus();
  return [
    ['date', new Date().toISOString().slice(0, 10)],
    ['CPU', core?.model.trim() ?? 'unknown'],
    ['cores', cpus().length],
    ['memory, GB', Math.round(totalmem() / 1e9)],
    ['Node.js', process.versions.node],
    ['SQLite', process.versions.sqlite ?? 'unknown'],
    ...(database === undefined ? [] : [['PostgreSQL', await serverVersion(database)] as const]),
  ];
}

async function serverVersion(database: string): Promise<string> {
  const location = parseLocation({ database });
  const client = new pg.Client({ connectionString: location.kind === 'postgres' ? location.url : database });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? 'unknown';
  } finally {
    await client.end();
  }
}
