import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { callProgram } from './support/call-program.ts';
import { assertSameTables } from './support/chain-assertions.ts';
import { ChainBuilder } from './support/chain-builder.ts';
import { onSqliteAtLeast, openFreshOf } from './support/engines.ts';
import { largeBlock } from './support/large-transactions.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';

/** A chain whose blocks have transactions with events of several parts, and transactions that the chain has already. */
function rareChain() {
  const chain = new ChainBuilder('moved');
  const first = chain.block();
  const large = largeBlock(chain, [199, 200, 201, 401], first);
  const [, few, many] = large.txs;
  if (!few || !many) throw new Error('no transactions');
  const again = [few, many, many].map(tx => ({ ...tx, events: [] }));
  const repeating = chain.block({ parent: large, txs: [chain.coinbase(), ...again, chain.transfer()] });
  const blocks = [first, large, repeating, chain.block({ parent: repeating })];
  return { deliveries: blocks.map(({ delivery }) => delivery), kept: [1 + 1, 5, 2, 2] };
}

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, output } = await callProgram(args);
  assert.equal(code, 0, output);
  return output;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`large and repeated transactions are the same after a reindex, a copy, a snapshot and an export (${engine})`, async t => {
    const from = await openPlace(openFresh, t);
    const folder = (await openPlace(openFreshOf.sqlite, t)).data;
    const { deliveries, kept } = rareChain();
    await deliverTo(from, deliveries);
    const expected = await dumpOf(from);
    const heights = expected.txs?.map(({ height }) => height);
    assert.deepEqual(
      kept.map((_, i) => heights?.filter(height => height === i + 1).length),
      kept,
    );
    assert.equal(expected.tx_event_parts?.length, 1 + 2);
    const isSame = async (place: Place, what: string) => assertSameTables(await dumpOf(place), expected, what);

    const copied = await openPlace(openFresh, t);
    await succeeds('copy', '--from', from.args[1] ?? '', '--to', copied.args[1] ?? '');
    await isSame(copied, 'a copy');

    const [snapshot, archive] = [join(folder, 'chain.snapshot'), join(folder, 'chain.tsv')];
    const restored = await openPlace(openFresh, t);
    await succeeds('snapshot', 'create', snapshot, ...from.args);
    await succeeds('snapshot', 'restore', snapshot, ...restored.args);
    await isSame(restored, 'a snapshot');

    const replayed = await openPlace(openFresh, t);
    await succeeds('export', archive, ...from.args);
    await succeeds('replay', archive, ...replayed.args, '--chain-id', '0x80000000');
    await isSame(replayed, 'an export');

    await succeeds('reindex', ...from.args);
    await isSame(from, 'a reindex');
    await succeeds('verify', ...from.args);
  });
});
