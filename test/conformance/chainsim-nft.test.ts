import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encodeClarityUint } from '../../src/codec/index.ts';
import { toHex } from '../../src/lib/hex.ts';
import { ownerOfToken, tokensOfOwner } from '../../src/resources/nft/queries.ts';
import { openChainsim } from '../support/chainsim.ts';
import { onEveryEngine } from '../support/engines.ts';
import { openTestIndex } from '../support/test-index.ts';

/** What the Clarity VM holds at the end of a simulated chain (`--expect`). */
interface Truth {
  readonly canonical_index_block_hashes: readonly string[];
  readonly tip: { readonly index_block_hash: string };
  /** By asset, by number of the token: the owner. A token that was burned is missing. */
  readonly nft: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Runs the simulator's own command for several chains at once; arguments: `scenario:seed:blocks` each. */
const SIMULATE = `
import { spawn } from 'node:child_process';
const runs = process.argv.slice(1).map(chain => {
  const [scenario, seed, blocks] = chain.split(':');
  const args = ['--scenario', scenario, '--seed', seed, '--blocks', blocks, '--out', scenario + '.tsv', '--expect', scenario + '.json'];
  const child = spawn(process.execPath, ['gen.mjs', ...args, '--omit-boot-source'], { stdio: 'inherit' });
  return new Promise((resolve, reject) => child.once('exit', code => (code === 0 ? resolve() : reject(new Error(chain + ' ended with ' + code)))));
});
await Promise.all(runs);
`;

/** Blocks of each scenario: few, but enough for its forks. The owners of names are checked in chainsim-names.test.ts. */
const CHAINS = { nft: 30, bns: 30, reorg: 60, rich: 60 };
const WITH_FORKS = new Set(['bns', 'reorg', 'rich']);
const SEED = 'owners-1';

const simulator = openChainsim();
if ('missing' in simulator) {
  test('owners of tokens on simulated chains', { skip: simulator.missing }, () => {});
} else {
  after(simulator.remove);
  simulator.run(SIMULATE, ...Object.entries(CHAINS).map(([scenario, blocks]) => `${scenario}:${SEED}:${blocks}`));
  onEveryEngine((_engine, openFresh) => {
    for (const scenario of Object.keys(CHAINS)) {
      test(`every token belongs to whom the VM says (${scenario}, seed ${SEED})`, async t => {
        const { database } = await openFresh(t);
        const index = await openTestIndex(database);
        const truth: Truth = JSON.parse(readFileSync(join(simulator.directory, `${scenario}.json`), 'utf8'));
        const archive = join(simulator.directory, `${scenario}.tsv`);
        const { tip } = await index.replay(archive);
        assert.equal(tip?.indexBlockHash, truth.tip.index_block_hash);
        assert.ok(Object.keys(truth.nft).length > 0);
        const blocks = readFileSync(archive, 'utf8').match(/\t\/new_block\t/g)?.length ?? 0;
        if (WITH_FORKS.has(scenario)) assert.ok(blocks > truth.canonical_index_block_hashes.length);
        await database.read(async queries => {
          for (const [asset, owners] of Object.entries(truth.nft)) {
            // Tokens beyond the last one, and burned ones, belong to nobody.
            for (let id = 1; id <= Math.max(0, ...Object.keys(owners).map(Number)) + 3; id++) {
              assert.equal(await ownerOfToken(queries, asset, tokenOf(id)), owners[id], `${asset} ${id}`);
            }
            for (const [owner, ids] of byOwner(owners)) {
              assert.deepEqual(await tokensOfOwner(queries, asset, owner), ids.map(tokenOf));
            }
          }
        });
      });
    }
  });
}

const tokenOf = (id: number): string => toHex(encodeClarityUint(id));

/** The numbers of the tokens of each owner, ascending. */
function byOwner(owners: Readonly<Record<string, string>>): Map<string, number[]> {
  const ids = Object.keys(owners).map(Number);
  return Map.groupBy(
    ids.sort((a, b) => a - b),
    id => owners[id] ?? '',
  );
}
