import { hexBytes } from '../../../base/lib/hex.ts';
import { u64 } from '../../../base/lib/number-bytes.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { isSendMany } from '../../../index/addresses/members.ts';
import {
  EVENTS_OF_ADDRESS,
  INBOUND_OF_ADDRESS,
  LOCKING_TXS_OF_ADDRESS,
  STX_FROM_ADDRESS,
  STX_TO_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { namesAsset } from '../../../index/contracts/assets-projection.ts';
import { searchTextsOf } from '../../../index/contracts/search-texts.ts';
import { ASSET_TEXTS, type ASSETS, LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import {
  FT_EVENTS_OF,
  LOCK_EVENTS_OF,
  LOGS_BY_PRINCIPAL,
  LOGS_BY_TOPIC,
  TOPICS_OF_CONTRACT,
} from '../../../index/events/tables.ts';
import { packMint } from '../../../index/nft/stored.ts';
import { EVENTS_OF_TOKEN, historyName, MINTS_BY_ASSET } from '../../../index/nft/tables.ts';
import { poxPrints } from '../../../index/pox/prints.ts';
import { printEntry } from '../../../index/pox/projection.ts';
import { ALL_POX_EVENTS } from '../../../index/pox/tables.ts';
import { BUSY, type Criterion, combinationsOf } from '../../../index/transactions/combined-lists.ts';
import { eventV1 } from '../../../index/transactions/event-v1.ts';
import { logFieldsOf, principalListName, topicListName } from '../../../index/transactions/log-fields.ts';
import { nonceName } from '../../../index/transactions/mined.ts';
import { packPrint } from '../../../index/transactions/stored.ts';
import {
  COMBINED_TXS,
  TX_TYPES,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_SPONSOR,
  TXS_BY_SPONSOR_NONCE,
  TXS_BY_TYPE,
} from '../../../index/transactions/tables.ts';
import { isAssetEvent, partiesOf } from '../../../ingest/chain/event-facts.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import type { EntryOf, ListKind } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { listsOf, type Recount, textOf, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { type RecordedTransaction, recordedTransactions, recountedMembers } from './sources.ts';

const RECOUNTED: readonly ListKind[] = [
  TXS_BY_TYPE,
  TXS_BY_SENDER,
  TXS_BY_RECIPIENT,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_SPONSOR,
  TXS_BY_SPONSOR_NONCE,
  LOCKING_TXS_OF_ADDRESS,
  MINTS_BY_ASSET,
  EVENTS_OF_TOKEN,
  LOGS_BY_CONTRACT,
  LOGS_BY_TOPIC,
  LOGS_BY_PRINCIPAL,
  TOPICS_OF_CONTRACT,
  LOCK_EVENTS_OF,
  FT_EVENTS_OF,
  EVENTS_OF_ADDRESS,
  STX_TO_ADDRESS,
  STX_FROM_ADDRESS,
  INBOUND_OF_ADDRESS,
  ALL_POX_EVENTS,
  ASSET_TEXTS,
  COMBINED_TXS,
];

/** The lists whose identifiers a row of TXS has. */
const NAMED_IN_TXS = {
  sender: TXS_BY_SENDER,
  recipient: TXS_BY_RECIPIENT,
  contract: TXS_BY_CONTRACT,
  function: TXS_BY_FUNCTION,
} as const;

export const listLengthsCheck: Check = {
  name: 'totals',
  proves:
    'lists by type, sender, recipient, sponsor, contract, function, nonce, principal, asset, log, topic and principal of a log, token, party of an event, what several busy ones share, locked principal and recipient of STX with a memo, that of the prints of PoX, and texts of assets, have the entries of a recount; the assets are those of events; the columns of a transaction are those of its record',
  recounts: RECOUNTED,
  run: context =>
    withRecount(lists =>
      withSpillingMap(ids => withSpillingMap(assets => recount({ lists, ids, assets: new Assets(assets) }, context))),
    ),
};

interface Expected {
  readonly lists: Recount;
  /** Identifiers of the lists that transactions name, by kind and name. */
  readonly ids: SpillingMap;
  readonly assets: Assets;
}

async function* recount({ lists, ids, assets }: Expected, { index, network }: Context): AsyncIterable<Finding> {
  for (const kind of Object.values(NAMED_IN_TXS))
    for await (const { name, id } of listsOf(kind, index)) await ids.set(`${kind.code} ${name}`, String(id));
  const busy = await busyLists(index);
  for await (const transaction of recordedTransactions(index)) {
    for (const [kind, name, entry] of entriesOf(transaction, network)) await lists.add(kind, name, entry);
    await addLogs(transaction, lists);
    const ofCriterion = (criterion: Criterion) => busy.get(keyOfList(criterion, namesOf(transaction)[criterion]));
    for (const { name } of combinationsOf(ofCriterion)) await lists.add(COMBINED_TXS, name, { tx: transaction.seq });
    await assets.add(transaction, lists);
    yield* compareColumns(transaction, ids);
  }
  yield* lists.compare(RECOUNTED, index);
  yield* assets.compare(index);
}

/** The prints of a transaction by topic and by principal, and the topics that are new. */
async function addLogs({ seq: tx, events }: RecordedTransaction, lists: Recount): Promise<void> {
  for (const event of events) {
    if (event.kind !== 'log') continue;
    const { contractId, index: event_index } = event;
    const { topic, principals } = logFieldsOf(event.value);
    for (const principal of principals)
      await lists.add(LOGS_BY_PRINCIPAL, principalListName(contractId, principal), { tx, event_index });
    const isNew =
      topic !== null && (await lists.add(LOGS_BY_TOPIC, topicListName(contractId, topic), { tx, event_index })) === 0;
    if (isNew) await lists.add(TOPICS_OF_CONTRACT, contractId, { tx, topic });
  }
}

/** The lists by which transactions are combined. */
const COMBINED = { ...NAMED_IN_TXS, type: TXS_BY_TYPE, nonce: TXS_BY_NONCE } as const satisfies Record<
  Criterion,
  ListKind
>;

const keyOfList = (criterion: Criterion, name: string | null): string => `${COMBINED[criterion].code} ${name}`;

/** The identifiers of the busy lists, which are few. */
async function busyLists(index: Queries): Promise<ReadonlyMap<string, number>> {
  const busy = new Map<string, number>();
  for (const criterion of Object.keys(COMBINED) as Criterion[])
    for await (const { name, id, length } of listsOf(COMBINED[criterion], index))
      if (criterion === 'type' || length >= BUSY) busy.set(keyOfList(criterion, name), id);
  return busy;
}

/** The names of the lists that a transaction is in. */
function namesOf({ tx: { payload, sender, nonce } }: RecordedTransaction): Record<Criterion, string | null> {
  const isCall = payload.type === 'contract_call';
  return {
    type: payload.type,
    sender,
    recipient: payload.type === 'token_transfer' ? payload.recipient : null,
    contract: isCall ? payload.contractId : null,
    function: isCall ? payload.functionName : null,
    nonce: String(nonce),
  };
}

/** The assets that events named, and their search texts. */
class Assets {
  /** `ft` or `nft`, by asset identifier. */
  readonly #kinds: SpillingMap;
  #count = 0;

  constructor(kinds: SpillingMap) {
    this.#kinds = kinds;
  }

  async add({ events }: RecordedTransaction, lists: Recount): Promise<void> {
    for (const { asset, kind } of events.filter(namesAsset)) {
      if ((await this.#kinds.get(asset)) !== undefined) continue;
      await this.#kinds.set(asset, kind);
      const newest = 0 - this.#count++;
      for (const { part, text, place } of searchTextsOf(asset))
        await lists.add(ASSET_TEXTS, part, { text, place, newest });
    }
  }

  async *compare(index: Queries): AsyncIterable<Finding> {
    for await (const { asset, kind } of pagedRows<RowOf<typeof ASSETS>>(index, {
      sql: 'SELECT asset, kind FROM assets',
      key: ['asset'],
    }))
      if ((await this.#kinds.take(asset)) !== kind) yield wrong(`assets: no event moves ${asset} as ${kind}`);
    for await (const [asset] of this.#kinds.entries()) yield wrong(`assets: ${asset} is missing`);
  }
}

async function* compareColumns(transaction: RecordedTransaction, ids: SpillingMap): AsyncIterable<Finding> {
  const { seq, tx, row } = transaction;
  const { payload } = tx;
  const idOf = async (column: keyof typeof NAMED_IN_TXS, name: string | null) =>
    name === null ? null : Number(await ids.get(`${NAMED_IN_TXS[column].code} ${name}`));
  const names = namesOf(transaction);
  const expected: Record<keyof typeof row, SqlValue> = {
    type: TX_TYPES[payload.type],
    fee: u64(BigInt(tx.fee)),
    nonce: tx.nonce,
    sender: await idOf('sender', names.sender),
    recipient: await idOf('recipient', names.recipient),
    contract: await idOf('contract', names.contract),
    function: await idOf('function', names.function),
  };
  for (const [column, value] of Object.entries(expected))
    if (textOf(row[column as keyof typeof expected]) !== textOf(value))
      yield wrong(`txs: the ${column} of number ${seq} is not that of its record`);
}

const entry = <Kind extends ListKind>(kind: Kind, name: string, columns: EntryOf<Kind>) =>
  [kind, name, columns] as const;

type Entry = ReturnType<typeof entry>;

function* entriesOf({ seq: tx, ...transaction }: RecordedTransaction, network: Network): Iterable<Entry> {
  const { events, tx: record } = transaction;
  const { txId, txIndex, blockHeight, payload, sponsor, nonce } = record;
  yield entry(TXS_BY_TYPE, payload.type, { tx });
  yield entry(TXS_BY_SENDER, record.sender, { tx });
  yield entry(TXS_BY_NONCE, String(nonce), { tx });
  if (payload.type === 'token_transfer') yield entry(TXS_BY_RECIPIENT, payload.recipient, { tx });
  if (payload.type === 'contract_call') yield entry(TXS_BY_CONTRACT, payload.contractId, { tx });
  if (payload.type === 'contract_call') yield entry(TXS_BY_FUNCTION, payload.functionName, { tx });
  if (sponsor) yield entry(TXS_BY_SPONSOR, sponsor.address, { tx });
  if (sponsor)
    yield entry(TXS_BY_SPONSOR_NONCE, nonceName({ address: sponsor.address, nonce: BigInt(sponsor.nonce) }), { tx });
  for (const principal of lockedWithoutPart(transaction)) yield entry(LOCKING_TXS_OF_ADDRESS, principal, { tx });
  for (const print of poxPrints({ txs: [{ txId, txIndex, events }] }, network))
    yield entry(ALL_POX_EVENTS, '', printEntry(print, blockHeight));
  if (payload.type === 'token_transfer')
    yield entry(INBOUND_OF_ADDRESS, payload.recipient, { tx, event_index: null, is_bulk: 0 });
  for (const event of events) {
    const { index: event_index } = event;
    const place = { tx, event_index };
    switch (event.kind) {
      case 'nft': {
        const { asset, value, sender, recipient } = event;
        if (event.action === 'mint') yield entry(MINTS_BY_ASSET, asset, { tx, record: packMint(txId, event) });
        yield entry(EVENTS_OF_TOKEN, historyName({ asset, token: hexBytes(value) }), { ...place, sender, recipient });
        break;
      }
      case 'stx':
        if (event.recipient !== null) yield entry(STX_TO_ADDRESS, event.recipient, place);
        if (event.sender !== null) yield entry(STX_FROM_ADDRESS, event.sender, place);
        // STX with a memo (docs/spec/addresses.md#inbound-stx).
        if (event.recipient !== null && event.memo !== null)
          yield entry(INBOUND_OF_ADDRESS, event.recipient, { ...place, is_bulk: 0 });
        if (event.recipient !== null && isSendMany(events[event_index + 1], network))
          yield entry(INBOUND_OF_ADDRESS, event.recipient, { ...place, is_bulk: 1 });
        break;
      case 'ft':
        yield entry(FT_EVENTS_OF, event.asset, place);
        break;
      case 'stx_lock':
        yield entry(LOCK_EVENTS_OF, event.address, place);
        break;
      case 'log':
        yield entry(LOGS_BY_CONTRACT, event.contractId, {
          ...place,
          record: packPrint(JSON.stringify(eventV1(txId, event))),
        });
        break;
      default:
        event satisfies never;
    }
    const touched = event.kind === 'stx_lock' ? [event.address] : isAssetEvent(event) ? partiesOf(event) : [];
    for (const principal of touched) yield entry(EVENTS_OF_ADDRESS, principal, place);
  }
}

/** The principals whose STX a transaction locks although they are not members of it. */
function lockedWithoutPart(transaction: Pick<RecordedTransaction, 'tx' | 'events'>): Iterable<string> {
  const members = recountedMembers(transaction);
  const locked = transaction.events.flatMap(event => (event.kind === 'stx_lock' ? [event.address] : []));
  return new Set(locked.filter(principal => !members.has(principal)));
}
