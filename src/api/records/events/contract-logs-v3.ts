/** Prints of a contract in the form of version 3, by topic and principal (docs/spec/contracts.md#topics-of-logs). */

import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import {
  LOG_LISTS,
  type LOG_TOPICS,
  LOGS_BY_PRINCIPAL,
  LOGS_BY_TOPIC,
  TOPICS_OF_CONTRACT,
} from '../../../index/events/tables.ts';
import { eventV1 } from '../../../index/transactions/event-v1.ts';
import { logFieldsOf, principalListName, topicListName } from '../../../index/transactions/log-fields.ts';
import { halve } from '../../../ingest/indexer/halving.ts';
import { findList, findLists, type List } from '../../../ingest/indexer/lists.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { count, nullable } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { type CursorPage, type CursorQuery, pageFrom } from '../../paging/cursor-page.ts';
import type { EventPlace } from '../../paging/event-cursors.ts';
import { pageOfEvents, pageOfFoundEvents } from '../../paging/event-lists.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { transactionsAt } from '../transactions/positions-v3.ts';
import { ContractLogSchemaV1 } from '../transactions/schema.ts';
import { BlockPositionSchemaV3 } from '../transactions/schema-v3.ts';

/** A print as version 2 lists it, with its topic and its place. */
export const ContractLogSchemaV3 = Type.Object(
  {
    ...ContractLogSchemaV1.properties,
    topic: nullable(
      Type.String({ minLength: 1, examples: ['transfer'] }),
      'The text of its member `event`, `topic`, `action` or `notification`; null without one',
    ),
    block: BlockPositionSchemaV3,
  },
  { title: 'SmartContractLog' },
);

export const LogTopicSchemaV3 = Type.Object(
  { topic: Type.String({ minLength: 1, examples: ['transfer'] }), log_count: count('Logs with this topic') },
  { title: 'SmartContractLogTopic' },
);

type EventRow = RowOf<typeof LOG_LISTS, 'tx' | 'event_index'>;

/** Filters of a page of prints. */
interface LogFilter {
  readonly topic?: string | undefined;
  readonly principal?: string | undefined;
}

/**
 * A page of the prints of a contract, the newest first: a seek with at most one filter. With both filters, it searches the longer list for all entries of the
 * shorter one, within the budget.
 * @throws ApiError 503 (SEARCH_TOO_LONG)
 */
export async function pageOfContractLogs(
  queries: Queries,
  budget: RowBudget,
  contractId: string,
  { topic, principal }: LogFilter,
  query: CursorQuery,
): Promise<CursorPage<EventPlace>> {
  if (topic === undefined)
    return principal === undefined
      ? pageOfEvents<EventRow>(queries, LOGS_BY_CONTRACT, contractId, query)
      : pageOfEvents<EventRow>(queries, LOGS_BY_PRINCIPAL, principalListName(contractId, principal), query);
  if (principal === undefined)
    return pageOfEvents<EventRow>(queries, LOGS_BY_TOPIC, topicListName(contractId, topic), query);
  const ofTopic = await findList(queries, LOGS_BY_TOPIC, topicListName(contractId, topic));
  const ofPrincipal = await findList(queries, LOGS_BY_PRINCIPAL, principalListName(contractId, principal));
  const found = ofTopic && ofPrincipal ? await placesInBoth(queries, budget, ofTopic, ofPrincipal) : [];
  return pageOfFoundEvents(queries, found, query);
}

type Entry = RowOf<typeof LOG_LISTS, 'seq' | 'tx' | 'event_index'>;

const ENTRIES = 'SELECT seq, tx, event_index FROM contract_log_lists WHERE list = ?';

const BEFORE_EVENT = 'e.tx < search.tx OR (e.tx = search.tx AND e.event_index < search.event_index)';

/** The entries that two lists share, in chain order. */
async function placesInBoth(queries: Queries, budget: RowBudget, one: List, other: List): Promise<EventPlace[]> {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  /** Rows for an entry of the shorter list: itself, and the steps of its binary search. */
  const rows = 1 + Math.ceil(Math.log2(longer.length + 1));
  budget.require(shorter.length * rows);
  const halving = { entries: LOG_LISTS, bounds: ['tx', 'event_index'], isBefore: BEFORE_EVENT } as const;
  const shared: EventPlace[] = [];
  for (let from = 0, low = 0; from < shorter.length; ) {
    const size = Math.max(1, Math.floor((await budget.take((shorter.length - from) * rows)) / rows));
    const sql = `${ENTRIES} AND seq >= ? AND seq < ? ORDER BY seq`;
    const entries = await queries.all<Entry>(sql, [shorter.id, from, from + size]);
    const searches = entries.map(({ tx, event_index }) => ({
      ...{ list: longer.id, from: low, to: longer.length },
      bounds: { tx, event_index },
    }));
    const positions = await halve(queries, halving, searches);
    const there = await allIn<Entry>(queries, list => `${ENTRIES} AND seq IN ${list}`, positions, [longer.id]);
    const bySeq = new Map(there.map(entry => [entry.seq, entry]));
    for (const [i, { tx, event_index }] of entries.entries()) {
      const found = bySeq.get(positions[i] ?? -1);
      // An entry above the length is of a block later than shown, so the shorter list does not have it.
      if (found?.tx === tx && found.event_index === event_index) shared.push({ tx, event_index });
    }
    low = positions.at(-1) ?? low;
    from += size;
  }
  return shared;
}

/** The prints of a page as they are served, in its order. */
export async function contractLogsV3(queries: Queries, places: readonly EventPlace[]) {
  const eventOf = await eventsNumbered(queries, places);
  const transactions = await transactionsAt(
    queries,
    places.map(({ tx }) => tx),
  );
  return places.flatMap(({ tx, event_index }) => {
    const event = eventOf(tx, event_index);
    const transaction = transactions.get(tx);
    if (event?.kind !== 'log' || transaction === undefined) return [];
    const { tx_id, block } = transaction;
    return [{ ...eventV1(tx_id, event), topic: logFieldsOf(event.value).topic, block }];
  });
}

/** A page of the topics of a contract, in the order in which it first printed each. @param first the number of the first topic */
export async function pageOfLogTopics(queries: Queries, contractId: string, first: number, limit: number) {
  const { id, length } = (await findList(queries, TOPICS_OF_CONTRACT, contractId)) ?? { id: -1, length: 0 };
  return pageFrom<RowOf<typeof LOG_TOPICS, 'seq' | 'topic'>>(
    {
      length,
      rows: (from, to) =>
        queries.all('SELECT seq, topic FROM contract_log_topics WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq', [
          id,
          from,
          to,
        ]),
      cursors: rows => rows.map(({ seq }) => String(seq)),
    },
    first,
    limit,
  );
}

/** Topics of a contract with the number of their prints, as they are served. */
export async function logTopicsV3(queries: Queries, contractId: string, topics: readonly string[]) {
  const name = (topic: string) => topicListName(contractId, topic);
  const lists = await findLists(queries, LOGS_BY_TOPIC, topics.map(name));
  return topics.map(topic => ({ topic, log_count: lists.get(name(topic))?.length ?? 0 }));
}
