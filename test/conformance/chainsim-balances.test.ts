import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addressBalance } from '../../src/resources/addresses/balance.ts';
import { openDatabase } from '../../src/store/open.ts';
import { openChainsim } from '../support/chainsim.ts';
import { openTestIndex } from '../support/test-index.ts';

/** Few blocks of every kind of chain, and of a seed that no recording has. */
const CHAINS = [
  { scenario: 'rich', seed: 11, blocks: 45 },
  { scenario: 'reorg', seed: 11, blocks: 50 },
  { scenario: 'pox', seed: 11, blocks: 60 },
  { scenario: 'nft', seed: 11, blocks: 25 },
  { scenario: 'bns', seed: 11, blocks: 25 },
  { scenario: 'mempool', seed: 11, blocks: 25 },
];

/** What the VM holds at the end of a chain. */
interface Truth {
  readonly tip: { readonly height: number; readonly index_block_hash: string };
  readonly stx: Readonly<Record<string, { readonly total: string; readonly locked: string; unlock_height: number }>>;
}

const chainsim = openChainsim();
if ('remove' in chainsim) after(chainsim.remove);
const skip = 'missing' in chainsim ? chainsim.missing : false;

for (const { scenario, seed, blocks } of CHAINS) {
  test(`balances and locks are those of the VM: ${scenario}, seed ${seed}, ${blocks} blocks`, { skip }, async t => {
    if ('missing' in chainsim) return;
    const archive = join(chainsim.directory, `${scenario}.tsv`);
    const expectation = join(chainsim.directory, `${scenario}.json`);
    // What follows `--` is for the simulator, not for Node.
    chainsim.run(
      "await import('./gen.mjs')",
      ...['--', '--scenario', scenario, '--seed', String(seed), '--blocks', String(blocks), '--omit-boot-source'],
      ...['--out', archive, '--expect', expectation],
    );
    const truth: Truth = JSON.parse(readFileSync(expectation, 'utf8'));
    const file = join(chainsim.directory, `${scenario}.sqlite`);
    const db = openDatabase({ kind: 'sqlite', file, durability: 'normal' });
    t.after(() => db.close());
    const index = await openTestIndex(db);
    const { tip } = await index.replay(archive);
    assert.deepEqual([tip?.height, tip?.indexBlockHash], [truth.tip.height, truth.tip.index_block_hash]);

    const held = Object.entries(truth.stx);
    assert.ok(held.length > 20, `only ${held.length} principals`);
    for (const [principal, { total, locked, unlock_height }] of held) {
      const shown = await db.read(queries => addressBalance(queries, principal));
      assert.equal(shown.balance, total, `balance of ${principal}`);
      assert.deepEqual([shown.locked, shown.burnchain_unlock_height], [locked, unlock_height], `lock of ${principal}`);
    }
  });
}
