import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { blocksIn, chainOfNode } from '../../../../test/support/replaying-node.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { todaysEvents } from '../../../../test/support/todays-chain.ts';
import { decodeNakamotoBlock } from '../../../base/codec/index.ts';
import { rawHex } from '../../../base/lib/hex.ts';
import type { Delivery } from '../../../ingest/journal/entries.ts';
import { verifyIndex } from '../verify.ts';
import { rebuiltBlocksCheck } from './rebuilt-blocks.ts';

const events = todaysEvents();
const REBUILT = blocksIn(events)[1];

/** The events with a block as it is rebuilt, and members of its body that are wrong. */
async function withRebuilt(wrong: object = {}): Promise<Delivery[]> {
  const known = (await chainOfNode(events)).get(REBUILT?.index_block_hash ?? '');
  const decoded = decodeNakamotoBlock(known?.sealed.raw ?? new Uint8Array());
  assert.ok(decoded.ok);
  const origin = {
    class: 'A',
    node: 'stacks-node 4.0.1',
    unknown: ['vm_error'],
    header: rawHex(decoded.value.headerBytes),
  };
  return events.map(delivery => {
    const body = JSON.parse(Buffer.from(delivery.body).toString());
    if (body.index_block_hash !== REBUILT?.index_block_hash) return delivery;
    const rebuilt = { ...body, _origin: origin, ...wrong };
    return { ...delivery, path: '/rebuilt_block', body: Buffer.from(JSON.stringify(rebuilt)) };
  });
}

onSqliteAtLeast((engine, openFresh) => {
  test(`verify proves a rebuilt block by its header, and tells of each column that is not that of its entry (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    await index.deliver(...(await withRebuilt()));
    const findings = async (): Promise<number> => {
      let total = 0;
      const onOutcome = (outcome: { readonly total: number }) => {
        total += outcome.total;
      };
      await verifyIndex({ indexDb: database, journalDb: database, keep: 9, checks: [rebuiltBlocksCheck], onOutcome });
      return total;
    };
    assert.equal(await findings(), 0);
    for (const change of [
      'UPDATE rebuilt_blocks SET position = position + 1',
      'UPDATE rebuilt_blocks SET block = (SELECT block_hash FROM known_blocks WHERE height = 2)',
      'UPDATE rebuilt_blocks SET height = height + 1',
      "UPDATE rebuilt_blocks SET class = 'B'",
      "UPDATE rebuilt_blocks SET unknown = ''",
      'DELETE FROM rebuilt_blocks',
    ]) {
      const before = await database.read(queries => queries.get<Record<string, never>>('SELECT * FROM rebuilt_blocks'));
      await database.write(tx => tx.run(change));
      assert.ok((await findings()) > 0, change);
      await database.write(async tx => {
        await tx.run('DELETE FROM rebuilt_blocks');
        await tx.run(
          'INSERT INTO rebuilt_blocks (position, block, height, class, unknown) VALUES (?, ?, ?, ?, ?)',
          ['position', 'block', 'height', 'class', 'unknown'].map(name => before?.[name] ?? null),
        );
      });
    }
  });

  test(`verify tells of a rebuilt block whose header does not prove what its body says (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    await (await openTestIndex(database)).deliver(
      ...(await withRebuilt({ block_time: 1, transactions: [], events: [] })),
    );
    const found: string[] = [];
    await verifyIndex({
      ...{ indexDb: database, journalDb: database, keep: 9, checks: [rebuiltBlocksCheck] },
      onOutcome: ({ findings }) => void found.push(...findings.map(({ what }) => what)),
    });
    assert.match(found.join('\n'), /does not prove its block_time[\s\S]*does not prove its transactions/);
  });
});
