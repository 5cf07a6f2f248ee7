import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { openChainsim } from '../support/chainsim.ts';
import { onEveryEngine } from '../support/engines.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { scale } from '../support/scale.ts';
import { openTestIndex } from '../support/test-index.ts';

/** What the Clarity VM and the zone files of the canonical chain say at the end of a simulated chain. */
interface Truth {
  readonly tip: { readonly height: number; readonly index_block_hash: string };
  /** Every name that was ever minted, on any branch, with its holder by `name-resolve`; null: it does not resolve. */
  readonly names: Readonly<Record<string, string | null>>;
  /** Owner by subdomain. */
  readonly subdomains: Readonly<Record<string, string>>;
  /** Every principal in an event of an NFT of BNS, or in a zone file. */
  readonly people: readonly string[];
}

/**
 * Runs a scenario (arguments: name, seed, archive, truth), then asks the VM for every name. The `--expect` file of the simulator
 * leaves BNS out. Zone files are read here in the plainest way, so that they check the index's own reading of them.
 */
const SIMULATE = `
import fs from 'node:fs';
import { Cl } from '@stacks/transactions';
import { Archive } from './lib/archive.mjs';
import { fromHex } from './lib/clarity.mjs';
import { expectation } from './lib/expect.mjs';
import { BNS, Sim } from './lib/sim.mjs';
import { Vm } from './lib/vm.mjs';
const [name, seed, out, truth] = process.argv.slice(1);
const scenario = await import('./lib/scenarios/' + name + '.mjs');
const archive = new Archive(out, { style: 'node' });
const sim = new Sim({ archive, vm: await Vm.create(), seed: name + '/' + seed, start: Date.parse('2025-01-06T08:00:00Z') * 1000,
  options: { ...scenario.options, omitBootSource: true } });
const { world } = scenario.run(sim, scenario.defaults);
sim.finish();
const { tip, canonical_index_block_hashes: canonical } = expectation(sim, world);
archive.close();
const text = hex => Buffer.from(hex.replace(/^0x/, ''), 'hex').toString();
const names = {}, people = new Set(), files = [];
for (const line of fs.readFileSync(out, 'utf8').trim().split('\\n')) {
  const [, , path, payload] = line.split('\\t');
  const body = JSON.parse(payload.replaceAll('\\\\\\\\', '\\\\'));
  if (path === '/attachments/new') files.push(...body);
  if (path !== '/new_block') continue;
  for (const event of body.events) {
    const nft = event[event.type];
    if (nft.asset_identifier !== BNS + '::names') continue;
    for (const who of [nft.sender, nft.recipient]) if (who) people.add(who);
    const { name, namespace } = fromHex(nft.raw_value).value;
    const owner = fromHex(sim.vm.read(BNS, 'name-resolve', [namespace, name]));
    names[text(name.value) + '.' + text(namespace.value)] = owner.type === 'ok' ? owner.value.value.owner.value : null;
  }
}
const subdomains = {};
const current = files.filter(file => canonical.includes(file.index_block_hash) && text(file.metadata).includes('name-update'));
for (const file of current.sort((a, b) => a.attachment_index - b.attachment_index)) {
  const content = text(file.content), [, parent] = content.match(/^\\$ORIGIN (\\S+?)\\.?\\n/);
  for (const [, label, owner] of content.matchAll(/^(\\S+)\\tTXT\\t"owner=(\\w+)"/gm)) {
    people.add(owner);
    subdomains[label + '.' + parent] = owner;
  }
}
fs.writeFileSync(truth, JSON.stringify({ tip, names, subdomains, people: [...people] }));
process.exit(0);
`;

const SEEDS = scale === 'short' ? ['names-1'] : ['names-1', 'names-2'];

const simulator = openChainsim();
describe('names of simulated chains', { skip: 'missing' in simulator && simulator.missing }, () => {
  if ('missing' in simulator) return;
  onEveryEngine((_engine, openFresh) => {
    for (const seed of SEEDS) {
      test(`everybody has the names that the VM says are theirs (bns, seed ${seed})`, async t => {
        const index = await openTestIndex(await databaseWithTables(openFresh, t));
        const files = simulator.made(SIMULATE, 'bns', seed);
        const truth: Truth = JSON.parse(readFileSync(files.truth, 'utf8'));
        const { tip } = await index.replay(files.archive);
        assert.equal(tip?.indexBlockHash, truth.tip.index_block_hash);
        const shown: Record<string, readonly string[]> = {};
        for (const person of truth.people)
          shown[person] = (await index.get(`/v1/addresses/stacks/${person}`)).body.names;
        assert.deepEqual(shown, expected(truth));
        // The chain must have what makes it a test: names that are held, gone and revoked, and subdomains.
        assert.ok(Object.values(truth.names).filter(owner => owner === null).length >= 2);
        assert.ok(Object.keys(truth.names).length >= 10 && Object.keys(truth.subdomains).length >= 3);
      });
    }
  });
});

/** By person: names that resolve to them, and subdomains of names that resolve. */
function expected({ names, subdomains, people }: Truth): Record<string, readonly string[]> {
  const holds = new Map<string, string[]>(people.map(person => [person, []]));
  for (const [name, owner] of Object.entries(names)) if (owner !== null) holds.get(owner)?.push(name);
  for (const [subdomain, owner] of Object.entries(subdomains)) {
    const parent = subdomain.slice(subdomain.indexOf('.') + 1);
    if (names[parent]) holds.get(owner)?.push(subdomain);
  }
  return Object.fromEntries([...holds].map(([person, all]) => [person, all.sort()]));
}
