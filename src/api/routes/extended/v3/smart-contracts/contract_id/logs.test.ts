import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../../test/support/reused-database.ts';
import { samplePrint } from '../../../../../../../test/support/sample-contracts.ts';
import { openTestIndex, type TestIndex } from '../../../../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../../../../test/support/transaction-builder.ts';
import {
  encodeClarityAscii,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../../../../../base/codec/index.ts';
import { toHex } from '../../../../../../base/lib/hex.ts';

const OWNER = accountAddress(9);
const [HUB, OTHER] = [`${OWNER}.hub`, `${OWNER}.other`];
const [ANNE, BEN] = [accountAddress(41), accountAddress(42)];
const LOGS = `/extended/v3/smart-contracts/${HUB}/logs`;
const BEGINNING = '0.0000000000.4';
const ANCHORED = 2147483647;

const printed = (contract: string, event: string, ...principals: readonly string[]) =>
  samplePrint(
    contract,
    toHex(
      encodeClarityTuple({
        event: encodeClarityAscii(event),
        ...Object.fromEntries(principals.map((principal, i) => [`p${i}`, encodeClarityPrincipal(principal)])),
      }),
    ),
  );

const numbered = (n: number) => samplePrint(HUB, toHex(encodeClarityUint(n)));

/** Blocks 1 to 3, whose prints tests name by the height of the block and the number of the event. */
async function deliverPrints(index: TestIndex, chain: ChainBuilder): Promise<BuiltBlock[]> {
  const printing = (...events: readonly ReturnType<typeof samplePrint>[]) => ({
    ...chain.tx(Buffer.concat([Buffer.of(4), Buffer.alloc(32, 1)]), { events }),
  });
  const contents = [
    [printed(HUB, 'put', ANNE), printed(OTHER, 'put', ANNE), printed(HUB, 'take', ANNE, BEN), numbered(1)],
    [printed(HUB, 'put', BEN), printed(HUB, 'a, 100 %', BEN)],
    [printed(HUB, 'put', BEN, ANNE), numbered(2)],
  ];
  const blocks: BuiltBlock[] = [];
  for (const events of contents) {
    const parent = blocks.at(-1);
    blocks.push(chain.block({ ...(parent && { parent }), txs: [chain.transfer(), printing(...events)] }));
  }
  await index.deliver(...blocks.map(({ delivery }) => delivery));
  return blocks;
}

/** The logs of a page as `height.event`, with its total. */
async function logsOf(index: TestIndex, query: string) {
  const { status, body } = await index.get(`${LOGS}${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  const logs: readonly { event_index: number; block: { height: number } }[] = body.results;
  return [body.total, ...logs.map(({ event_index, block }) => `${block.height}.${event_index}`)];
}

const topicsOf = async (index: TestIndex, query = '') => {
  const { body } = await index.get(`${LOGS}/topics${query}`);
  return [body.total, ...body.results.map((one: object) => Object.values(one).join(' '))];
};

onSqliteAtLeast((engine, openFresh) => {
  test(`logs are found by topic and by principal with exact totals, also as of a block and after a fork (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [first] = await deliverPrints(index, chain);
    assert.deepEqual(await logsOf(index, ''), [7, '3.1', '3.0', '2.1', '2.0', '1.3', '1.2', '1.0']);
    assert.deepEqual(await logsOf(index, '?topic=put'), [3, '3.0', '2.0', '1.0']);
    assert.deepEqual(await logsOf(index, `?principal=${ANNE.toLowerCase()}`), [3, '3.0', '1.2', '1.0']);
    assert.deepEqual(await logsOf(index, `?topic=put&principal=${ANNE}`), [2, '3.0', '1.0']);
    assert.deepEqual(await logsOf(index, `?topic=take&principal=${BEN}`), [1, '1.2']);
    assert.deepEqual(await logsOf(index, '?topic=a%2C%20100%20%25'), [1, '2.1']);
    assert.deepEqual(await logsOf(index, `?topic=put&principal=${ANNE}&limit=1&cursor=2:${ANCHORED}:1:0`), [2, '1.0']);
    assert.deepEqual(await logsOf(index, `?topic=put&cursor=2:${ANCHORED}:1:0`), [3, '2.0', '1.0']);
    assert.deepEqual(await logsOf(index, `?topic=put&principal=${ANNE}&at=2`), [1, '1.0']);
    assert.deepEqual(await logsOf(index, `?principal=${BEN}&at=2`), [3, '2.1', '2.0', '1.2']);
    assert.deepEqual(await topicsOf(index), [3, 'put 3', 'take 1', 'a, 100 % 1']);
    assert.deepEqual(await topicsOf(index, '?cursor=1&limit=1'), [3, 'take 1']);
    assert.deepEqual(await topicsOf(index, '?at=1'), [2, 'put 1', 'take 1']);
    const { body } = await index.get(`${LOGS}?topic=take`);
    assert.equal(body.results[0].topic, 'take');
    assert.equal(body.results[0].contract_log.contract_id, HUB);

    let parent = first;
    for (let i = 0; i < 3; i++) {
      parent = chain.block(parent ? { parent } : {});
      await index.deliver(parent.delivery);
    }
    assert.deepEqual(await logsOf(index, `?topic=put&principal=${ANNE}`), [1, '1.0']);
    assert.deepEqual(await topicsOf(index), [2, 'put 1', 'take 1']);
  });

  test(`both filters together search as far as a request may, and a topic that no log can have is refused (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db, { limits: { maxRowsSearched: 5 } });
    await deliverPrints(index, new ChainBuilder());
    assert.deepEqual(await logsOf(index, `?topic=take&principal=${ANNE}`), [1, '1.2']);
    const { status, body } = await index.get(`${LOGS}?topic=put&principal=${ANNE}`);
    assert.deepEqual([status, body.code], [503, 'SEARCH_TOO_LONG']);
    for (const topic of ['', 'x'.repeat(65), encodeURIComponent('é'.repeat(33)), '%01']) {
      const refused = await index.get(`${LOGS}?topic=${topic}`);
      assert.equal(refused.status, 400, topic);
      assert.match(refused.body.message, /querystring\/topic/);
    }
  });

  test(`the stream has the logs of a topic and of a principal, each once (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliverPrints(index, new ChainBuilder());
    const told = async (topics: readonly string[], more = '') => {
      const list = encodeURIComponent(topics.join(','));
      const { status, body } = await index.get(
        `/extended/v3/stream/events?topics=${list}&after=${BEGINNING}&limit=500${more}`,
      );
      assert.equal(status, 200, JSON.stringify(body));
      const events: readonly {
        id: string;
        event: string;
        data: { event: { event_index: number }; block: { height: number } };
      }[] = body.events;
      const logs = events.filter(({ event }) => event === 'contract-log');
      return logs.map(({ data }) => `${data.block.height}.${data.event.event_index}`);
    };
    const [put, ofAnne] = [`contract-log-topic:${HUB}:put`, `contract-log-principal:${HUB}:${ANNE.toLowerCase()}`];
    assert.deepEqual(await told([put]), ['1.0', '2.0', '3.0']);
    assert.deepEqual(await told([put, ofAnne]), ['1.0', '1.2', '2.0', '3.0']);
    assert.deepEqual(await told([`contract-log-topic:${HUB}:a%2C 100 %25`]), ['2.1']);
    // A collection of NFTs has no list: every transaction is read.
    assert.deepEqual(await told([ofAnne, `nft:${HUB}::cat`]), ['1.0', '1.2', '3.0']);
    for (const topic of [
      `contract-log-topic:${HUB}`,
      `contract-log-topic:${HUB}:`,
      `contract-log-topic:${HUB}:%`,
      `contract-log-principal:${HUB}:x`,
    ]) {
      const { status, body } = await index.get(`/extended/v3/stream/events?topics=${encodeURIComponent(topic)}`);
      assert.equal(status, 400, topic);
      assert.match(body.message, /contract-log-topic:<contract>:<topic>/);
    }
  });
});
