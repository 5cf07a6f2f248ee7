import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { WrongNetwork } from '../../ingest/chain/witness.ts';
import { firstWitnessOf } from './network.ts';

const TESTNET = 0x80000000;

/** A source that can be read only once, and whether it was closed. */
function pipeOf(chainId: number) {
  const state = { isClosed: false };
  async function* rows() {
    try {
      for (const [line, { delivery }] of new ChainBuilder('pipe', chainId).chain(2).entries())
        yield { kind: 'event' as const, id: line, line, ...delivery };
    } finally {
      state.isClosed = true;
    }
  }
  const source = { name: 'pipe', progress: { bytesRead: 0, bytesTotal: 0 }, isReadOnce: true, rows };
  return { state, source };
}

test('a source that can be read only once is closed where its first witness is of another network than the named one', async () => {
  const { signal } = new AbortController();
  const { state, source } = pipeOf(TESTNET);
  await assert.rejects(firstWitnessOf([source], { signal, named: 1 }), WrongNetwork);
  assert.ok(state.isClosed);
});

test('a source that can be read only once stays open, and begins again, where its first witness is of the named network or names it', async () => {
  const { signal } = new AbortController();
  for (const named of [undefined, TESTNET]) {
    const { state, source } = pipeOf(TESTNET);
    const { witness, sources } = await firstWitnessOf([source], { signal, named });
    assert.equal(witness?.chainId, TESTNET);
    assert.equal(state.isClosed, false);
    const lines: number[] = [];
    for await (const row of sources[0]?.rows() ?? []) lines.push(row.line);
    assert.deepEqual(lines, [0, 1]);
    assert.ok(state.isClosed);
  }
});
