/**
 * Compares the requests a second of one and of two processes on one port: `npm run bench -- workers ARCHIVE`. As a control it also measures two servers that
 * share no port, directory or messages: their extra cost for a request comes only from the caches of the machine, which more processes share.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres.ts';
import { freshPlace, type Place } from './place.ts';
import { type Program, replayInto, startServer, untilAnswered } from './program.ts';
import { saveTables, type Table } from './report.ts';
import { questionsOf, shortSet } from './scenarios.ts';
import { compareSetups, type Setup } from './side-by-side.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    workers: { type: 'string', default: '1,2' },
    database: { type: 'string' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');

// Only one server can use a directory, so each has its own with the same content.
const places: Place[] = [];
const servers: Program[] = [];
const setups: Setup[] = [];
try {
  const [one = '1', ...more] = values.workers.split(',');
  const alone = await serveWith(one);
  const other = await serveWith(one);
  const ports = [...alone.ports, ...other.ports];
  setups.push(alone, { name: '2 apart', ports, servers: [...alone.servers, ...other.servers], isControl: true });
  for (const workers of more) setups.push(await serveWith(workers));
  const [first] = places;
  if (first) saveTables(values.json, [await compare(first)]);
} finally {
  for (const server of servers) await server.stop();
  for (const place of places) await place.remove();
}
process.exit(0);

async function serveWith(workers: string): Promise<Setup> {
  const place = await freshPlace(values.database);
  places.push(place);
  await replayInto(place.args, archive);
  const port = await freePort();
  const server = startServer(place.args, { port }, ['--workers', workers]);
  servers.push(server);
  await untilAnswered(server, port, '/extended');
  return { name: `${workers} proc`, ports: [port], servers: [server] };
}

async function compare(place: Place): Promise<Table> {
  const { pages, transactions } = await questionsOf(place);
  const title = `Processes on one port (${place.engine}, ${transactions} transactions, ${values.connections} connections)`;
  return compareSetups(title, setups, shortSet(pages), {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  });
}
