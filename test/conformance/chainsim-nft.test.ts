import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { encodeClarityUint } from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { openChainsim } from '../support/chainsim.ts';
import { onEveryEngine } from '../support/engines.ts';
import { ownerOfToken, tokensOfOwner } from '../support/nft-owners.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { scale } from '../support/scale.ts';
import { openTestIndex } from '../support/test-index.ts';

/** What the Clarity VM holds at the end of a simulated chain (`--expect`). */
interface Truth {
  readonly canonical_index_block_hashes: readonly string[];
  readonly tip: { readonly index_block_hash: string };
  /** By asset, by number of the token: the owner. A token that was burned is missing. */
  readonly nft: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Blocks of each scenario: few, but enough for its forks. The owners of names are checked in chainsim-names.test.ts. */
const ALL = { nft: 30, bns: 30, reorg: 60, rich: 60 };
const SHORT = { rich: 40 };
const CHAINS = scale === 'short' ? SHORT : ALL;
const WITH_FORKS = new Set(['bns', 'reorg', 'rich']);
const SEED = 'owners-1';

const simulator = openChainsim();
describe('owners of tokens on simulated chains', { skip: 'missing' in simulator && simulator.missing }, () => {
  if ('missing' in simulator) return;
  onEveryEngine((_engine, openFresh) => {
    for (const [scenario, blocks] of Object.entries(CHAINS)) {
      test(`every token belongs to whom the VM says (${scenario}, seed ${SEED})`, async t => {
        const database = await databaseWithTables(openFresh, t);
        const index = await openTestIndex(database);
        const { archive, truth: expectation } = simulator.chain({ scenario, seed: SEED, blocks });
        const truth: Truth = JSON.parse(readFileSync(expectation, 'utf8'));
        const { tip } = await index.replay(archive);
        assert.equal(tip?.indexBlockHash, truth.tip.index_block_hash);
        assert.ok(Object.keys(truth.nft).length > 0);
        const received = readFileSync(archive, 'utf8').match(/\t\/new_block\t/g)?.length ?? 0;
        if (WITH_FORKS.has(scenario)) assert.ok(received > truth.canonical_index_block_hashes.length);
        await database.read(async queries => {
          for (const [asset, owners] of Object.entries(truth.nft)) {
            // Tokens beyond the last one, and burned ones, have no owner.
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
});

const tokenOf = (id: number): string => toHex(encodeClarityUint(id));

/** The numbers of the tokens of each owner, ascending. */
function byOwner(owners: Readonly<Record<string, string>>): Map<string, number[]> {
  const ids = Object.keys(owners).map(Number);
  return Map.groupBy(
    ids.sort((a, b) => a - b),
    id => owners[id] ?? '',
  );
}
