import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelResponse } from '../../../test/model/model.ts';
import { type BuiltBlock, type BuiltMicroblock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { announced, dropped, transferOf } from '../../../test/support/pending-transactions.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { scale } from '../../../test/support/scale.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import type { BuiltTx } from '../../../test/support/transaction-builder.ts';
import type { Row } from '../../base/store/database.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';

/** A story of a chain and its mempool, as numbers: what is announced, dropped and mined, on which of two branches. */
type Step = readonly [kind: 'announce' | 'drop' | 'block' | 'stream', which: number, branch: number];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('announce', 'announce', 'drop', 'block', 'block', 'stream'),
  fc.nat({ max: 255 }),
  fc.nat({ max: 1 }),
);

/** Three accounts, two nonces, three fees each; some are sponsored by another of them, at the other nonce. */
const TXS: readonly BuiltTx[] = [0, 1, 2].flatMap(account =>
  [0, 1].flatMap(nonce =>
    [100, 200, 200].map((fee, i) =>
      transferOf({
        from: 20 + account,
        nonce,
        fee,
        ...(i === 2 && { sponsor: { from: 20 + ((account + 1) % 3), nonce: 1 - nonce } }),
      }),
    ),
  ),
);

/** The nonces that a transaction uses: of its sender, and of its sponsor. */
interface Sent {
  readonly sender_address: string;
  readonly nonce: number;
  readonly sponsored: boolean;
  readonly sponsor_address?: string;
  readonly sponsor_nonce?: number;
}

const picked = (which: number): BuiltTx[] => TXS.filter((_, i) => (which * 7 + i * 5) % 11 === 0);

/**
 * The messages that nodes would post. A chain could not hold the same nonce twice; the steps may, as the index does not rely on
 * it.
 */
function tell(steps: readonly Step[]): Delivery[] {
  const chain = new ChainBuilder();
  const times = { signer_bitvec: '00010000000101' };
  const root = chain.block({ txs: [], fields: { ...times, block_time: 1_700_100_000 } });
  const tops: BuiltBlock[] = [root, root];
  const streams: BuiltMicroblock[][] = [[], []];
  const deliveries: Delivery[] = [root.delivery];
  for (const [kind, which, branch] of steps) {
    const txs = picked(which);
    const top = tops[branch] ?? root;
    if (kind === 'announce') deliveries.push(announced(...txs));
    if (kind === 'drop')
      deliveries.push(dropped(which % 2 ? 'TooExpensive' : 'ReplaceByFee', txs, TXS[which % TXS.length]));
    if (kind === 'stream') {
      streams[branch] = chain.microblocks(top, [txs]);
      deliveries.push(chain.stream(top, streams[branch]));
    }
    if (kind === 'block') {
      // Some blocks are days apart, so that what waits ages on one branch and not on the other.
      const time = Number(top.body.block_time) + (which % 8 === 0 ? 2600 * 60 : 60);
      const microblocks = which % 3 === 0 ? (streams[branch] ?? []) : [];
      const streamed = new Set(microblocks.flatMap(microblock => microblock.txs));
      const own = txs.filter(tx => !streamed.has(tx));
      const block = chain.block({ parent: top, txs: own, microblocks, fields: { ...times, block_time: time } });
      tops[branch] = block;
      streams[branch] = [];
      deliveries.push(block.delivery);
    }
  }
  return deliveries;
}

const TABLES = ['mempool_txs', 'pending_txs', 'mempool_ages', 'meta'];

async function mempoolOf(index: TestIndex): Promise<Record<string, Row[] | undefined>> {
  const dump = await index.dump();
  return Object.fromEntries(TABLES.map(name => [name, dump[name]]));
}

const RUNS = scale === 'short' ? 4 : 8;

onSqliteAtLeast((engine, openFresh) => {
  test(`the mempool is the same however its news is batched (${engine})`, async () => {
    const parts = (deliveries: readonly Delivery[], size: number): Delivery[][] =>
      Array.from({ length: Math.ceil(deliveries.length / size) }, (_, i) => deliveries.slice(i * size, (i + 1) * size));
    const story = fc.array(step, { minLength: 5, maxLength: 25 });
    const property = fc.asyncProperty(story, fc.integer({ min: 2, max: 6 }), async (steps, size) => {
      const deliveries = tell(steps);
      const states: unknown[] = [];
      for (const batch of [1, size, deliveries.length]) {
        const { database, cleanup } = await openFresh();
        try {
          const index = await openTestIndex(database);
          for (const part of parts(deliveries, batch)) await index.deliver(...part);
          states.push(await mempoolOf(index));
        } finally {
          await cleanup();
        }
      }
      assert.deepEqual(states[1], states[0]);
      assert.deepEqual(states[2], states[0]);
    });
    await fc.assert(property, { numRuns: engine === 'sqlite' ? RUNS : 1, seed: 20261119 });
  });

  test(`one that is outbid, and has waited too long as well, is told to be outbid, as by the model (${engine})`, async t => {
    const chain = new ChainBuilder();
    const minedAt = (seconds: number, parent?: BuiltBlock) =>
      chain.block({
        ...(parent && { parent }),
        txs: [],
        fields: { signer_bitvec: '00010000000101', block_time: 1_700_100_000 + seconds },
      });
    const [old, rival] = [100, 200].map(fee => transferOf({ from: 20, fee }));
    assert.ok(old && rival);
    const first = minedAt(0);
    const later = minedAt(2000 * 60, first);
    const last = minedAt(2600 * 60, later);
    const deliveries = [first.delivery, announced(old), later.delivery, announced(rival), last.delivery];
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(...deliveries);
    const path = `/extended/v1/search/${old.txId}?include_metadata=true`;
    const { body } = await index.get(path);
    assert.equal(body.result.metadata.tx_status, 'dropped_replace_by_fee');
    assert.equal(body.result.metadata.replaced_by_tx_id, rival.txId);
    const model = modelResponse(deliveries, path).body as typeof body;
    assert.equal(model.result.metadata.tx_status, 'dropped_replace_by_fee');
    assert.equal(model.result.metadata.replaced_by_tx_id, rival.txId);
  });

  test(`no transaction is pending that is mined, whose nonce is used, or that is outbid (${engine})`, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async steps => {
      const { database, cleanup } = await openFresh();
      try {
        const index = await openTestIndex(database);
        await index.deliver(...tell(steps));
        const { results: pending } = (await index.get('/extended/v1/tx/mempool?limit=50&unanchored=true')).body;
        const { results: mined } = (await index.get('/extended/v1/tx?limit=50&unanchored=true')).body;
        const slots = (tx: Sent) =>
          [`${tx.sender_address} ${tx.nonce}`].concat(tx.sponsored ? `${tx.sponsor_address} ${tx.sponsor_nonce}` : []);
        const used = new Set(mined.flatMap(slots));
        const wanted = pending.flatMap(slots);
        assert.deepEqual(
          wanted.filter((own: string) => used.has(own)),
          [],
        );
        assert.equal(new Set(wanted).size, wanted.length);
      } finally {
        await cleanup();
      }
    });
    await fc.assert(property, { numRuns: engine === 'sqlite' ? RUNS : 1, seed: 20261120 });
  });
});
