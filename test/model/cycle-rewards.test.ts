import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bondEvents } from '../chains/bond-operations.ts';
import { MANAGERS, stakingEvents } from '../chains/staking-operations.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { onSqliteAtLeast } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { databaseWithTables } from '../support/reused-database.ts';
import { casesOf } from '../support/scale.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { bytes, filled } from '../support/wire-transaction.ts';
import { modelResponse } from './model.ts';

const STAKERS = [18, 19];

/** Calls of pox-5 by few stakers, so that they meet in bonds, cycles and claims. */
const calls = fc.array(
  fc.record({ from: fc.constantFrom(...STAKERS), to: fc.nat(30), n: fc.nat(60), isBond: fc.boolean() }),
  { minLength: 150, maxLength: 150 },
);

/** Blocks of fifteen calls. */
function eventsOf(chosen: readonly { from: number; to: number; n: number; isBond: boolean }[]) {
  const chain = new ChainBuilder('rewards');
  let top = chain.block();
  const sent = [top.delivery];
  for (let i = 0; i < chosen.length; i += 15) {
    const txs = chosen
      .slice(i, i + 15)
      .map(({ isBond, ...making }) =>
        chain.tx(bytes(0x04, filled(32, 1)), { events: isBond ? bondEvents(making) : stakingEvents(making) }),
      );
    top = chain.block({ parent: top, txs });
    sent.push(top.delivery);
  }
  return sent;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`rewards and stakers by cycle are those of the naive model, whatever pox-5 prints (${engine})`, async t => {
    const seen = { rewards: 0, stakers: 0 };
    for (const chosen of fc.sample(calls, { numRuns: casesOf('MODEL_RUNS', engine), seed: 1 })) {
      const index = await openTestIndex(await databaseWithTables(openFresh, t));
      const sent = eventsOf(chosen);
      await index.deliver(...sent);
      const agreed = async (path: string): Promise<number> => {
        const { body } = await index.get(path);
        assert.deepEqual({ ...body }, modelResponse(sent, path).body, path);
        return body.total;
      };
      for (const staker of STAKERS.map(accountAddress))
        seen.rewards += await agreed(`/extended/v3/principals/${staker}/staking/rewards?limit=50`);
      for (const manager of MANAGERS)
        seen.stakers += await agreed(`/extended/v3/staking/cycles/7/signers/${manager}/stakers?limit=2`);
    }
    assert.ok(seen.rewards > 0 && seen.stakers > 0, JSON.stringify(seen));
  });
});
