/**
 * Compares the requests a second of one and of two API nodes on one PostgreSQL: `npm run bench -- nodes ARCHIVE --database PRIMARY
 * [--read-database REPLICA]`. The nodes are `serve --mode readonly`; requests are spread over both.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readState } from '../src/ingest/indexer/index-state.ts';
import { freePort } from '../test/support/postgres.ts';
import { freshPlace, inSchema, type Place, schemaOf } from './place.ts';
import { type Program, replayInto, startServer, untilAnswered } from './program.ts';
import { saveTables } from './report.ts';
import { questionsOf, shortSet } from './scenarios.ts';
import { compareSetups } from './side-by-side.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    database: { type: 'string' },
    'read-database': { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
if (values.database === undefined) {
  console.error('nodes needs --database URL: API nodes share a PostgreSQL');
  process.exit(2);
}

const place = await freshPlace(values.database);
try {
  await replayInto(place.args, archive);
  await measureAll(place);
} finally {
  await place.remove();
}
process.exit(0);

async function measureAll(place: Place): Promise<void> {
  const { pages, transactions } = await questionsOf(place);
  const height = await heightOf(place);
  const ports = [await freePort(), await freePort()];
  const servers: Program[] = [];
  try {
    for (const port of ports) {
      const server = startServer(place.args, { port }, ['--mode', 'readonly', ...replicaOf(place.args)]);
      servers.push(server);
      await untilAnswered(server, port, '/extended');
      await untilAt(height, port);
    }
    const replica = values['read-database'] === undefined ? '' : ', reading a replica';
    const table = await compareSetups(
      `API nodes (postgres${replica}, ${transactions} transactions, ${values.connections} connections)`,
      [
        { name: '1 node', ports: ports.slice(0, 1), servers: servers.slice(0, 1) },
        { name: '2 nodes', ports, servers },
      ],
      shortSet(pages),
      { connections: Number(values.connections), seconds: Number(values.seconds) },
    );
    saveTables(values.json, [table]);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function heightOf(place: Place): Promise<number> {
  const { indexDb, close } = await place.open();
  const { tip } = await indexDb.read(readState);
  await close();
  return tip?.height ?? 0;
}

/** The replica with the schema of this benchmark. */
function replicaOf([, database = '']: readonly string[]): string[] {
  const replica = values['read-database'];
  return replica === undefined ? [] : ['--read-database', inSchema(replica, schemaOf(database))];
}

/** A replica follows its primary: waits until the node shows the whole chain. */
async function untilAt(height: number, port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const latest = await fetch(`http://127.0.0.1:${port}/extended/v2/blocks/latest`);
    const { height: shown } = (await latest.json()) as { height?: number };
    if (shown === height) return;
    await delay(50);
  }
  throw new Error(`the node does not show block ${height}: does the replica follow the primary?`);
}
