import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { MicroblockWatch } from './microblocks.ts';

onSqliteAtLeast((_engine, openFresh) => {
  test('microblocks that a block accepts before the next look are found, also on another fork, and each once', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const watch = new MicroblockWatch();
    const look = async () =>
      (await database.read(queries => watch.look(queries, () => undefined))).map(
        text => (JSON.parse(text) as { readonly microblock_hash: string }).microblock_hash,
      );
    const hashes = (microblocks: readonly { readonly hash: string }[]) => microblocks.map(({ hash }) => hash);
    const stream = (on: Parameters<typeof chain.microblocks>[0], count: number) =>
      chain.microblocks(
        on,
        Array.from({ length: count }, () => [chain.transfer({ from: 10 })]),
      );

    const first = chain.block();
    const accepted = stream(first, 2);
    const second = chain.block({ parent: first, microblocks: accepted });
    const onTip = stream(second, 2);
    await index.deliver(first.delivery);
    assert.deepEqual(await look(), [], 'the first look has nothing to compare with');
    await index.deliver(chain.stream(first, accepted), second.delivery, chain.stream(second, onTip));
    assert.deepEqual(await look(), hashes([...accepted, ...onTip]));
    assert.deepEqual(await look(), []);

    const others = stream(second, 1);
    const third = chain.block({ parent: second, microblocks: others });
    const fourth = chain.block({ parent: third });
    await index.deliver(chain.stream(second, others), third.delivery, fourth.delivery);
    assert.deepEqual(await look(), hashes(others), 'of a stream that displaces another one');

    const forked = chain.block({ parent: first });
    const longer = [forked];
    for (let i = 0; i < 3; i++) longer.push(chain.block({ parent: longer.at(-1) as typeof forked }));
    await index.deliver(...longer.map(({ delivery }) => delivery));
    assert.deepEqual(await look(), [], 'a fork without microblocks has none to find');
    const late = stream(longer.at(-1) as typeof forked, 1);
    await index.deliver(chain.stream(longer.at(-1) as typeof forked, late));
    assert.deepEqual(await look(), hashes(late));
  });
});
