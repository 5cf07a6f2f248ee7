import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { addressBalance } from '../../src/resources/addresses/balance.ts';
import { eventsAt } from '../../src/resources/transactions/events.ts';
import type { Queries } from '../../src/store/database.ts';
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
  /** By asset, by holder; holders of nothing are missing. */
  readonly ft: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What the events of all canonical transactions add up to, in the form of Truth.ft, for the assets named. */
async function holdersOf(queries: Queries, assets: readonly string[]): Promise<Truth['ft']> {
  const sums = new Map(assets.map(asset => [asset, new Map<string, bigint>()]));
  for (const { seq } of await queries.all<{ seq: number }>('SELECT seq FROM tx_bodies WHERE events IS NOT NULL')) {
    for (const event of await eventsAt(queries, seq)) {
      const held = event.kind === 'ft' ? sums.get(event.asset) : undefined;
      if (event.kind !== 'ft' || !held) continue;
      if (event.sender) held.set(event.sender, (held.get(event.sender) ?? 0n) - BigInt(event.amount));
      if (event.recipient) held.set(event.recipient, (held.get(event.recipient) ?? 0n) + BigInt(event.amount));
    }
  }
  const shown = [...sums].map(([asset, held]) => [
    asset,
    Object.fromEntries(
      [...held].filter(([, amount]) => amount !== 0n).map(([holder, amount]) => [holder, String(amount)]),
    ),
  ]);
  return Object.fromEntries(shown);
}

const chainsim = openChainsim();
if ('remove' in chainsim) after(chainsim.remove);
const skip = 'missing' in chainsim ? chainsim.missing : false;

for (const { scenario, seed, blocks } of CHAINS) {
  test(`balances, locks and holders of tokens are those of the VM: ${scenario}, seed ${seed}, ${blocks} blocks`, {
    skip,
  }, async t => {
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

    assert.deepEqual(await db.read(queries => holdersOf(queries, Object.keys(truth.ft))), truth.ft);
    const held = Object.entries(truth.stx);
    assert.ok(held.length > 20, `only ${held.length} principals`);
    for (const [principal, { total, locked, unlock_height }] of held) {
      const shown = await db.read(queries => addressBalance(queries, principal));
      assert.equal(shown.balance, total, `balance of ${principal}`);
      assert.deepEqual([shown.locked, shown.burnchain_unlock_height], [locked, unlock_height], `lock of ${principal}`);
    }
  });
}
