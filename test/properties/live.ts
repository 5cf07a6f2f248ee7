import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readLog } from '../../src/api/live/chain.ts';
import { parseToken } from '../../src/api/live/token.ts';
import { parseTopic, TopicSet } from '../../src/api/live/topics.ts';
import type { Database } from '../../src/base/store/database.ts';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { ACCOUNTS, CONTRACT_NAMES, contractId, FT_ASSET, LOG_TOPICS, NFT_ASSET } from '../chains/transactions.ts';
import fc from '../support/fast-check.ts';
import { LogClient } from '../support/log-client.ts';
import type { TestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';

const PRINCIPALS = ACCOUNTS.slice(0, 3).map(accountAddress);
const CONTRACT = contractId(CONTRACT_NAMES[0]);
/** The stream has only those of its prints that have the topic or the principal below. */
const OTHER = contractId(CONTRACT_NAMES[1]);
const LOG_TOPIC = LOG_TOPICS[1];
const TOPICS = [
  'block',
  'burn-block',
  ...PRINCIPALS.flatMap(principal => [`principal:${principal}`, `balance:${principal}`]),
  `contract-log:${CONTRACT}`,
  `contract-log-topic:${OTHER}:${LOG_TOPIC.replace('%', '%25').replace(',', '%2C')}`,
  `contract-log-principal:${OTHER}:${PRINCIPALS[0]}`,
  `ft:${FT_ASSET}`,
  `nft:${NFT_ASSET}`,
];
const IN_QUERY = TOPICS.map(encodeURIComponent).join(',');

const BEGINNING = '0.0000000000.4';

/** The time and the size of the client's requests, and the number of events after which it loses the rest. */
const asking = fc.record({
  deliveries: fc.integer({ min: 1, max: 8 }),
  limit: fc.integer({ min: 1, max: 40 }),
  pages: fc.integer({ min: 0, max: 6 }),
  lost: fc.nat(5),
});

const cases = fc.record({
  plan: chainPlans({ maxSteps: 30 }),
  visits: fc.array(asking, { minLength: 12, maxLength: 12 }),
});

export const live = defineProperty({
  file: 'live',
  rule: 'a client that applies what the log tells, dies anywhere and comes back, knows what the routes tell, as does one that reads while blocks arrive',
  cases,
  hold: async (bench, { plan, visits }) => {
    const sent = buildChain(plan).sent.map(({ delivery }) => delivery);
    const on = await bench.openIndex();
    const client = new LogClient();
    let next = BEGINNING;
    const other = new InterruptedReader(bench.database);
    const reading = other.run();
    reading.catch(() => undefined); // it is awaited below
    for (let start = 0, i = 0; start < sent.length; i++) {
      const visit = visits[i % visits.length];
      assert.ok(visit);
      await on.deliver(sent.slice(start, start + visit.deliveries), plan.batch);
      start += visit.deliveries;
      for (let turn = 0; turn < visit.lost; turn++) await nextTurn();
      for (let page = 0; page < visit.pages; page++) {
        const { body } = await on.index.get(
          `/extended/v3/stream/events?topics=${IN_QUERY}&after=${next}&limit=${visit.limit}`,
        );
        // Of the last page of a visit, the client gets a part before it dies.
        const isCut = page === visit.pages - 1 && visit.lost < body.events.length;
        for (const event of isCut ? body.events.slice(0, visit.lost) : body.events) client.apply(event);
        next = isCut ? (client.token ?? BEGINNING) : body.next;
        if (isCut) client.comeBack();
      }
    }
    for (let isAtTip = false; !isAtTip; ) {
      const { body } = await on.index.get(`/extended/v3/stream/events?topics=${IN_QUERY}&after=${next}&limit=500`);
      for (const event of body.events) client.apply(event);
      ({ next, at_tip: isAtTip } = body);
    }
    await assertKnowsAll(client, on.index);
    other.stop();
    await reading;
    await assertKnowsAll(other.client, on.index);
    const ids = (of: LogClient) =>
      ['principal-tx', 'contract-log', 'ft', 'balance', 'block-end'].flatMap(kind =>
        of.events(kind).map(({ id }) => id),
      );
    assert.deepEqual(ids(other.client), ids(client));
  },
});

/**
 * Reads a few transactions at once, found by lists, and lets blocks arrive wherever a reading may pause. No list has the transactions of
 * the topic that it leaves out.
 */
class InterruptedReader {
  readonly client = new LogClient();
  readonly #db: Database;
  #isLast = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** It ends when it is at the tip. */
  stop(): void {
    this.#isLast = true;
  }

  async run(): Promise<void> {
    const topics = new TopicSet(
      TOPICS.filter(text => !text.startsWith('nft:')).map(text => parseTopic(text) ?? assert.fail(text)),
    );
    let place = parseToken(BEGINNING) ?? assert.fail();
    const blocks = { content: 5, headers: 5 };
    const most = { blocks, events: 40, transactions: 2, distance: Number.MAX_SAFE_INTEGER, ahead: 0 };
    for (let isOver = false; !isOver; ) {
      const isLast = this.#isLast;
      const { entries, to, isAtTip } = await this.#db.read(queries =>
        readLog(queries, place, topics, most, () => nextTurn()),
      );
      for (const entry of entries)
        this.client.apply({ id: entry.id, event: entry.event, data: JSON.parse(entry.data(undefined)) });
      place = to;
      isOver = isLast && isAtTip;
      await nextTurn();
    }
  }
}

/** A client's state from the events of these topics equals the responses of the routes. */
export async function assertKnowsAll(client: LogClient, index: TestIndex): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses freely
  const list = async (path: string): Promise<any[]> => (await index.get(path)).body.results;
  const state = await index.state();
  assert.equal(client.height, state.tip?.height ?? 0);
  const blocks = await list('/extended/v2/blocks?limit=30');
  assert.deepEqual(
    client.hashes.toReversed().slice(0, 30),
    blocks.map(block => block.index_block_hash),
  );
  const burns = await list('/extended/v2/burn-blocks?limit=30');
  assert.deepEqual(
    client
      .events('burn-block')
      .map(({ data }) => data.burn_block.hash)
      .toReversed()
      .slice(0, 30),
    burns.map(burn => burn.burn_block_hash),
  );
  for (const principal of PRINCIPALS) {
    const told = client.events('principal-tx').filter(({ data }) => data.principal === principal);
    const listed = (await list(`/extended/v1/address/${principal}/transactions_with_transfers?limit=50`)).map(
      ({ tx, stx_sent, stx_received, stx_transfers }) => ({ tx, stx_sent, stx_received, stx_transfers }),
    );
    const all = await list(`/extended/v2/addresses/${principal}/transactions?limit=50`);
    const anchored = all.filter(({ tx }) => !tx.is_unanchored);
    assert.deepEqual(
      told
        .map(({ data }) => data.tx_id)
        .toReversed()
        .slice(0, anchored.length),
      anchored.map(({ tx }) => tx.tx_id),
    );
    for (const { tx, ...moved } of listed.filter(each => !each.tx.is_unanchored)) {
      const { data } = told.find(each => each.data.tx_id === tx.tx_id) ?? assert.fail(`${tx.tx_id} was not told`);
      assert.deepEqual([data.tx, data.stx_sent, data.stx_received], [tx, moved.stx_sent, moved.stx_received]);
    }
    const { body: shown } = await index.get(`/extended/v1/address/${principal}/stx?unanchored=false`);
    const balance = client.balance(principal) as Record<string, unknown> | undefined;
    if (balance === undefined) assert.deepEqual([shown.total_sent, shown.total_received], ['0', '0']);
    else
      for (const [name, value] of Object.entries(balance))
        assert.deepEqual(value, shown[name], `${name} of ${principal}`);
  }
  const logs = (await list(`/extended/v1/contract/${CONTRACT}/events?limit=50`)).map(event => [
    event.tx_id,
    event.event_index,
  ]);
  const toldLogsOf = (contract: string) =>
    client
      .events('contract-log')
      .filter(({ data: { event } }) => event.contract_log.contract_id === contract)
      .map(({ data: { event } }) => [event.tx_id, event.event_index]);
  const toldLogs = toldLogsOf(CONTRACT);
  const streamed = new Set(
    (await list('/extended/v1/tx?limit=50&unanchored=true')).filter(tx => tx.is_unanchored).map(tx => tx.tx_id),
  );
  assert.deepEqual(toldLogs.toReversed().slice(0, 30), logs.filter(([txId]) => !streamed.has(txId)).slice(0, 30));
  const found: string[] = [];
  for (const filter of [`topic=${encodeURIComponent(LOG_TOPIC)}`, `principal=${PRINCIPALS[0]}`])
    for (const { tx_id, event_index } of await list(`/extended/v3/smart-contracts/${OTHER}/logs?limit=50&${filter}`))
      if (!streamed.has(tx_id)) found.push(`${tx_id} ${event_index}`);
  assert.deepEqual(new Set(toldLogsOf(OTHER).map(([txId, index]) => `${txId} ${index}`)), new Set(found));
}
