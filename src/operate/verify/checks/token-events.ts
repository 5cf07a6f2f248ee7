import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { type TokenFact, tokenFactsOfEvents } from '../../../index/token-metadata/facts.ts';
import {
  ALL_TOKEN_EVENTS,
  type TOKEN_CONTRACTS,
  type TOKEN_EVENTS,
  type TOKENS,
} from '../../../index/token-metadata/tables.ts';
import { allEvents } from '../../../index/transactions/event-parts.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

export const tokenEventsCheck: Check = {
  name: 'events of tokens',
  proves:
    'every event of a token is what its transaction did; every token and token contract names the last of its events and has the mode of its last notification, and each contract has its deployment',
  recounts: [ALL_TOKEN_EVENTS],
  run: context => withSpillingMap(newest => compare(newest, context)),
};

async function* compare(newest: SpillingMap, context: Context): AsyncIterable<Finding> {
  const { index } = context;
  /** Facts of the transaction of the last event: events of one transaction follow each other. */
  let facts: readonly TokenFact[] = [];
  let factsOf: number | null = null;
  for await (const event of tokenEvents(index)) {
    const { seq, contract_id, token, kind, tx, record, events } = event;
    if (tx !== null && record !== null && tx !== factsOf) {
      const { txId, sender } = readTransaction(record);
      facts = tokenFactsOfEvents(await allEvents(index, tx, events), txId, sender);
      factsOf = tx;
    }
    if (!isOfTransaction(event, facts, context))
      yield wrong(
        `token_events: number ${seq}, a ${kind} of ${subjectOf(contract_id, token)}, is not of ${toHex(event.tx_id)}`,
      );
    if (kind === 'deploy') await newest.set(`deployment of ${contract_id}`, String(seq));
    if (kind === 'update') await newest.set(`notification of ${subjectOf(contract_id, token)}`, updateText(seq, event));
    if (token !== null) await newest.set(`event of ${subjectOf(contract_id, token)}`, String(seq));
  }
  for await (const row of pagedRows<Token>(index, {
    sql: 'SELECT contract_id, token, mode, ttl, event, notified FROM tokens',
    key: ['contract_id', 'token'],
  })) {
    const name = subjectOf(row.contract_id, row.token);
    yield* compareNewest(`event of ${name}`, String(row.event), newest);
    yield* compareNewest(`notification of ${name}`, updateText(row.notified, row), newest);
  }
  for await (const row of pagedRows<Contract>(index, {
    sql: 'SELECT contract_id, mode, ttl, notified FROM token_contracts',
    key: ['contract_id'],
  })) {
    yield* compareNewest(`notification of ${row.contract_id}`, updateText(row.notified, row), newest);
    if ((await newest.take(`deployment of ${row.contract_id}`)) === undefined)
      yield wrong(`token_events: the deployment of ${row.contract_id} is missing`);
  }
  for await (const [what, kept] of newest.entries())
    yield wrong(`token_events: number ${kept} is the ${what}, which is not in the index`);
}

/** Position of a notification, with its mode and time; empty without one. */
const updateText = (seq: number | null, { mode, ttl }: RowOf<typeof TOKENS, 'mode' | 'ttl'>): string =>
  [seq, mode, ttl].filter(part => part !== null).join(' ');

/** @param kept the newest one in the row of its token or contract; empty if the row has none */
async function* compareNewest(what: string, kept: string, newest: SpillingMap): AsyncIterable<Finding> {
  const found = (await newest.take(what)) ?? '';
  if (found !== kept)
    yield wrong(`token_events: the last ${what} is number ${found || 'none'}, the index has ${kept || 'none'}`);
}

type EventRow = RowOf<typeof TOKEN_EVENTS> &
  OuterRowOf<typeof TXS, 'height' | 'record'> &
  OuterRowOf<typeof TX_BODIES, 'events'> & {
    /** Position of its transaction in TXS. */
    readonly tx: number | null;
  } & OuterRowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>;

/** The events, each with its transaction. */
const tokenEvents = (index: Queries): AsyncIterable<EventRow> =>
  pagedRows<EventRow>(index, {
    sql: `SELECT e.seq, e.contract_id, e.token, e.kind, e.mode, e.ttl, e.tx_id, e.block,
      t.seq AS tx, t.height, t.record, b.events, k.index_block_hash
      FROM token_events e
        LEFT JOIN txs t ON t.tx_id = e.tx_id
        LEFT JOIN tx_bodies b ON b.seq = t.seq
        LEFT JOIN blocks c ON c.seq = t.height - 1
        LEFT JOIN known_blocks k ON k.arrival = c.known`,
    key: ['seq'],
    alias: 'e',
    pageSize: 200,
  });

function isOfTransaction(row: EventRow, facts: readonly TokenFact[], { state }: Context): boolean {
  const { height, record, index_block_hash } = row;
  if (height === null || record === null) return false;
  // While only a microblock has the transaction, the event has no block.
  const block = height > (state.tip?.height ?? 0) ? '0x' : index_block_hash && toHex(index_block_hash);
  if (toHex(row.block) !== block) return false;
  const { payload } = readTransaction(record);
  if (row.kind === 'deploy')
    return (
      payload.type === 'smart_contract' &&
      payload.contractId === row.contract_id &&
      row.mode === null &&
      row.ttl === null
    );
  return facts.some(fact => isOfFact(row, fact));
}

function isOfFact(row: EventRow, fact: TokenFact): boolean {
  if (fact.kind !== row.kind || fact.contractId !== row.contract_id) return false;
  switch (fact.kind) {
    case 'deploy':
      return false;
    case 'mint':
      return fact.token === row.token && row.mode === null && row.ttl === null;
    case 'update': {
      const { tokens, mode, ttl } = fact.notification;
      return (
        (tokens ? tokens.some(token => token === row.token) : row.token === null) &&
        mode === row.mode &&
        ttl === row.ttl
      );
    }
    default:
      return fact satisfies never;
  }
}

type Token = RowOf<typeof TOKENS>;
type Contract = RowOf<typeof TOKEN_CONTRACTS, 'contract_id' | 'mode' | 'ttl' | 'notified'>;

/** The token of an event, or the contract if the event is about all its tokens. */
const subjectOf = (contract: string, token: string | null): string =>
  token === null ? contract : `${token} of ${contract}`;
