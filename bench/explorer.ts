/**
 * Measures the CPU time of the server for each kind of page of the explorer: `npm run bench -- explorer ARCHIVE [--data DIR]`. With `--data` it measures the
 * index in that directory. A separate server process gets one request at a time, with compression; the CPU time of all its threads counts.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { toHex } from '../src/base/lib/hex.ts';
import { countTransactions } from '../src/index/transactions/positions.ts';
import { freePort } from '../test/support/postgres.ts';
import { type Entities, readEntities } from './entities.ts';
import { directoryPlace, freshPlace, type Place } from './place.ts';
import { type Program, replayInto, startServer, untilAnswered } from './program.ts';
import { quantileOf, saveTables, type Table, TablePrinter } from './report.ts';
import { namesOf } from './scenarios/scenario.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    /** Requests of each kind that are measured, and those before them. */
    times: { type: 'string', default: '30' },
    warm: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const archive = positionals[0] ?? join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const times = Number(values.times);
const warm = Number(values.warm);

const encode = encodeURIComponent;

/** Milliseconds of CPU for a page. */
const GOAL_MS = 50;

/** A kind of page, with the paths below `/explorer` of some of it. */
interface Kind {
  readonly name: string;
  readonly paths: readonly string[];
}

const place = values.data === undefined ? await freshPlace(undefined) : directoryPlace(values.data);
if (values.data === undefined) await replayInto(place.args, archive);
const { kinds, transactions } = await kindsOf(place);
const port = await freePort();
const server = startServer(place.args, { port }, ['--mode', 'readonly']);
try {
  await untilAnswered(server, port, '/extended');
  saveTables(values.json, [await measureAll(kinds.filter(({ name }) => name.includes(values.only)))]);
} finally {
  await server.stop();
  await place.remove();
}
process.exit(0);

async function measureAll(measured: readonly Kind[]): Promise<Table> {
  const printer = new TablePrinter(`Pages of the explorer (${transactions} transactions)`, [
    { key: 'page', title: 'page' },
    { key: 'mean', title: 'CPU ms', digits: 1 },
    { key: 'median', title: 'median', digits: 1 },
    { key: 'most', title: 'most', digits: 1 },
    { key: 'bytes', title: 'bytes sent' },
    { key: 'failures', title: '' },
  ]);
  const means: number[] = [];
  for (const { name, paths } of measured) {
    if (paths.length === 0) {
      printer.note(`${name}: the archive has none.`);
      continue;
    }
    const costs: number[] = [];
    let bytes = 0;
    let failures = 0;
    for (let i = 0; i < warm + times; i++) {
      const page = await costOf(server, paths[i % paths.length] as string);
      if (i < warm) continue;
      costs.push(page.ms);
      bytes += page.bytes / times;
      if (page.status !== 200) failures++;
    }
    const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
    means.push(mean);
    printer.add({
      ...{ page: name, mean, median: quantileOf(costs, 0.5), most: Math.max(...costs), bytes },
      failures: failures > 0 ? `!! ${failures} are no 200` : null,
    });
  }
  printer.goal('CPU of a page of the explorer, ms: the greatest mean', Math.max(...means), GOAL_MS);
  return printer.table;
}

/** The CPU time of one request. Work after a response, such as garbage collection, counts for the next page. */
async function costOf({ cpuMicros }: Program, path: string) {
  const before = cpuMicros();
  const response = await fetch(`http://127.0.0.1:${port}/explorer${path}`, { headers: { 'accept-encoding': 'br' } });
  await response.arrayBuffer();
  const ms = (cpuMicros() - before) / 1000;
  return { ms, status: response.status, bytes: Number(response.headers.get('content-length') ?? 0) };
}

async function kindsOf(of: Place): Promise<{ readonly kinds: readonly Kind[]; readonly transactions: number }> {
  const { indexDb, close } = await of.open();
  const entities = await readEntities(indexDb);
  const assets = await indexDb.read(queries =>
    queries.all<{ asset: string; kind: string }>('SELECT asset, kind FROM assets ORDER BY asset'),
  );
  const items = await indexDb.read(queries =>
    queries.all<{ asset: string; token: Uint8Array }>('SELECT asset, token FROM nft_owners LIMIT 100'),
  );
  const count = await indexDb.read(countTransactions);
  await close();
  const assetsOf = (kind: string) => assets.filter(asset => asset.kind === kind).map(({ asset }) => encode(asset));
  return {
    kinds: [...chainPages(entities), ...accountPages(entities), ...contractPages(entities)].concat(
      tokenPages(assetsOf('ft'), assetsOf('nft')),
      { name: 'NFT', paths: items.map(({ asset, token }) => `/nft/${encode(asset)}?value=${toHex(token)}`) },
      stackingPages(entities),
      otherPages(entities),
    ),
    transactions: count,
  };
}

function chainPages({ height, blocks, burnBlockCount, transactions, pending, orphans }: Entities): Kind[] {
  const deep = Math.floor(height / 40);
  return [
    { name: 'home', paths: [''] },
    { name: 'blocks', paths: ['/blocks'] },
    { name: 'blocks, deep page', paths: [`/blocks?page=${Math.max(1, deep)}`] },
    { name: 'block', paths: blocks.map(block => `/block/${block.height}`) },
    { name: 'Bitcoin blocks', paths: ['/btc'] },
    { name: 'Bitcoin blocks, deep page', paths: [`/btc?page=${Math.max(1, Math.floor(burnBlockCount / 40))}`] },
    { name: 'Bitcoin block', paths: blocks.map(block => `/btc/${block.burnHeight}`) },
    { name: 'transaction', paths: transactions.map(({ id }) => `/tx/${id}`) },
    { name: 'pending transaction', paths: pending.map(({ id }) => `/tx/${id}`) },
    { name: 'mempool', paths: ['/mempool?order=fee'] },
    { name: 'forks', paths: ['/forks'] },
    { name: 'fork', paths: orphans.map(hash => `/fork/${hash}`) },
  ];
}

function accountPages({ principals, height }: Entities): Kind[] {
  const pages = (kind: string, addresses: readonly string[]): Kind[] => {
    const of = (text: string) => addresses.slice(0, times).map(address => `/address/${address}${text}`);
    return [
      { name: `account, ${kind}`, paths: of('') },
      { name: `account, ${kind}, deep page`, paths: of('?page=3') },
      { name: `account, ${kind}, tokens`, paths: of('?tab=tokens') },
      { name: `account, ${kind}, NFTs`, paths: of('?tab=nfts') },
      { name: `account, ${kind}, transfers`, paths: of('?tab=transfers') },
      { name: `account, ${kind}, movements`, paths: of('?tab=movements') },
      { name: `account, ${kind}, past`, paths: of(`?at=${Math.floor(height / 2)}`) },
    ];
  };
  return [...pages('busy', namesOf(principals.busy)), ...pages('quiet', namesOf(principals.quiet))];
}

function contractPages({ calledContracts, logs, functions, contracts }: Entities): Kind[] {
  const busy = namesOf(calledContracts.busy);
  return [
    { name: 'contract, busy', paths: busy.map(id => `/contract/${id}`) },
    { name: 'contract', paths: contracts.map(id => `/contract/${id}`) },
    { name: 'contract, source', paths: contracts.map(id => `/contract/${id}/source`) },
    { name: 'contract, calls', paths: busy.map(id => `/contract/${id}/calls`) },
    { name: 'contract, events', paths: namesOf(logs.busy).map(id => `/contract/${id}/events`) },
    { name: 'contract, account', paths: busy.map(id => `/contract/${id}/account`) },
    {
      name: 'function of all contracts',
      paths: namesOf(functions.busy).map(name => `/function/${encode(name.slice(name.lastIndexOf('.') + 1))}`),
    },
  ];
}

function tokenPages(fungible: readonly string[], collections: readonly string[]): Kind[] {
  return [
    { name: 'tokens', paths: ['/tokens'] },
    { name: 'token', paths: fungible.map(asset => `/token/${asset}`) },
    { name: 'token, transfers', paths: fungible.map(asset => `/token/${asset}/transfers`) },
    { name: 'token, supply', paths: fungible.map(asset => `/token/${asset}?plot=supply`) },
    { name: 'collections', paths: ['/nfts'] },
    { name: 'collection', paths: collections.map(asset => `/nft/${asset}`) },
    { name: 'collection, mints', paths: collections.map(asset => `/nft/${asset}?tab=mints`) },
  ];
}

function stackingPages({ cycles, bonds, managers }: Entities): Kind[] {
  return [
    { name: 'stacking', paths: ['/stacking'] },
    { name: 'cycle', paths: cycles.map(({ cycle }) => `/stacking/${cycle}`) },
    { name: 'signer', paths: cycles.flatMap(({ cycle, signers }) => signers.map(key => `/stacking/${cycle}/${key}`)) },
    { name: 'bond', paths: bonds.map(({ bond }) => `/stacking/bond/${bond}`) },
    { name: 'manager', paths: managers.map(principal => `/stacking/manager/${principal}`) },
  ];
}

function otherPages({ names, blocks, transactions, rewarded, contracts }: Entities): Kind[] {
  return [
    { name: 'names', paths: ['/names'] },
    { name: 'name', paths: names.map(name => `/name/${encode(name)}`) },
    { name: 'name that is free', paths: ['/name/not-registered.btc'] },
    { name: 'Bitcoin address', paths: namesOf(rewarded.busy).map(address => `/bitcoin/${encode(address)}`) },
    {
      name: 'search, part of a name',
      paths: contracts.map(id => `/search?q=${encode(id.slice(id.indexOf('.') + 2).slice(0, 5))}&suggest=1`),
    },
    { name: 'search, number', paths: blocks.map(({ height }) => `/search?q=${height}&suggest=1`) },
    {
      name: 'search, beginning of a hash',
      paths: transactions.map(({ id }) => `/search?q=${id.slice(0, 12)}&suggest=1`),
    },
    { name: 'help', paths: ['/help'] },
    { name: 'status', paths: ['/status'] },
    { name: 'gallery', paths: ['/gallery'] },
  ];
}
