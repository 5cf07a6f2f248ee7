/** Builds the log events of one canonical block, in order (docs/spec/live.md#events). */
import { toHex } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { principalsOf, rolesInStored } from '../../index/addresses/roles.ts';
import { allEvents } from '../../index/transactions/event-parts.ts';
import { eventV1 } from '../../index/transactions/event-v1.ts';
import { logFieldsOf } from '../../index/transactions/log-fields.ts';
import { reprOf } from '../../index/transactions/record.ts';
import { readTransaction, version1Text } from '../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../index/transactions/tables.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { pieceText } from '../http/large-body.ts';
import { MovesOfPrincipal } from '../records/addresses/transfers-v1.ts';
import { findByIndexBlockHash } from '../records/blocks/queries.ts';
import { blockV1 } from '../records/blocks/record-v1.ts';
import { balancesChanged } from './block-balances.ts';
import { LogEntry } from './entry.ts';
import { json, type LoggedBlock, shortOf, type TipFields } from './logged-block.ts';
import type { Relevant } from './relevant.ts';
import { comparePositionsInBlock, PLACE, type PositionInBlock, transactionsBefore } from './token.ts';
import { BLOCK_END, type Interest, logFieldsKey, V1, writeLogTopic } from './topics.ts';

/** The part of a block that a reading takes. */
interface Portion {
  /** The place after which it begins. */
  readonly after: PositionInBlock;
  /** It ends after this many `transactions`, or with the transaction that exceeds this many `events`. */
  readonly events: number;
  readonly transactions: number;
  /** Undefined: any transaction may be relevant. */
  readonly relevant: Relevant | undefined;
  readonly pause: Pause;
}

/** Transactions of one statement: more if they are small, fewer if they are large. */
const AT_ONCE = { first: 16, most: 128, characters: 200_000 };

/** Events of a transaction between two pauses. */
const EVENTS_AT_ONCE = 500;

/**
 * Most bytes of STX transfers in one event. A larger event could exceed the 4 MiB that a client may be behind, and disconnect it each time
 * that it resumes (docs/live.md#topics).
 */
const MOST_TRANSFER_BYTES = 1024 * 1024;

/** The events of a block that match the topics of a listener, and the place up to which they are complete. */
export async function blockLog(
  queries: Queries,
  block: LoggedBlock,
  tip: TipFields,
  interest: Interest,
  { after, events, transactions, relevant, pause }: Portion,
): Promise<{ readonly entries: LogEntry[]; readonly to: PositionInBlock; readonly transactions: number }> {
  const { place } = block;
  const entries: LogEntry[] = [];
  const add = (entry: LogEntry) => {
    if (comparePositionsInBlock(entry.place.at, after) > 0) entries.push(entry);
  };
  if (interest.wants('block'))
    add(new LogEntry(place(PLACE.block), { event: 'block', keys: ['block'], full: () => blockData(block, tip) }));
  if (block.isFirstOfBurnBlock && interest.wants('burn-block'))
    add(
      new LogEntry(place(PLACE.burnBlock), {
        event: 'burn-block',
        keys: ['burn-block'],
        full: () => burnBlockData(block),
      }),
    );
  if (interest.wants(V1.block)) {
    const found = await findByIndexBlockHash(queries, block.record.index_block_hash);
    const v1 = found && JSON.stringify(await blockV1(queries, found));
    if (v1 !== undefined)
      add(new LogEntry(place(PLACE.block), { event: 'block', keys: [V1.block], full: () => v1, v1: () => v1 }));
  }
  if (!interest.wants(BLOCK_END)) return { entries, to: PLACE.end, transactions: 0 };
  const members = new Set<string>();
  const begin = Math.min(block.txRows, transactionsBefore(after));
  const end = Math.min(block.txRows, (relevant?.end ?? Number.POSITIVE_INFINITY) - block.firstTx);
  const wanted = relevant?.txs.map(seq => seq - block.firstTx).filter(index => index >= begin && index < end);
  let size = AT_ONCE.first;
  let read = 0;
  for (let next = wanted ? (wanted[0] ?? end) : begin; next < end; ) {
    if (read >= transactions || entries.length > events)
      return { entries, to: PLACE.afterTransaction(next - 1), transactions: read };
    const count = Math.min(size, transactions - read, (wanted?.length ?? end - begin) - read);
    const rows = await (wanted
      ? rowsAt(queries, block, wanted.slice(read, read + count))
      : rowsFrom(queries, block, next, count));
    const characters = rows.reduce((sum, { record, events }) => sum + record.length + (events?.length ?? 0), 0);
    size = characters > AT_ONCE.characters ? Math.ceil(size / 2) : Math.min(AT_ONCE.most, size * 2);
    for (const row of rows) {
      await pause();
      const tx = await readLogged(queries, row, block, pause);
      for (const principal of tx.principals) members.add(principal);
      let looked = 0;
      for (const entry of transactionLog(block, tx, interest)) {
        if (entry === PAUSE || ++looked % EVENTS_AT_ONCE === 0) await pause();
        if (entry && entry !== PAUSE) add(entry);
      }
    }
    read += count;
    next = wanted ? (wanted[read] ?? end) : next + count;
  }
  if (end < block.txRows) return { entries, to: PLACE.afterTransaction(end - 1), transactions: read };
  for (const [principal, txs] of relevant?.txsOf ?? [])
    if (txs.some(seq => seq >= block.firstTx && seq < block.firstTx + block.txRows)) members.add(principal);
  // If reading began within the block, the lists of the principals show the members.
  const changed = await balancesChanged(queries, block, begin === 0 ? members : undefined, interest, pause);
  for (const entry of changed) add(entry);
  add(
    new LogEntry(place(PLACE.end), {
      event: 'block-end',
      keys: [BLOCK_END],
      full: () => json({ block: shortOf(block) }),
    }),
  );
  return { entries, to: PLACE.end, transactions: read };
}

const blockData = ({ record }: LoggedBlock, { tip, finalized_height }: TipFields): string =>
  json({
    topic: 'block',
    canonical: true,
    block: {
      height: record.height,
      hash: record.hash,
      index_hash: record.index_block_hash,
      parent_index_hash: record.parent_index_block_hash,
      time: record.block_time,
      tenure_height: record.tenure_height,
      tx_count: record.tx_count,
      burn_height: record.burn_block_height,
      burn_hash: record.burn_block_hash,
      burn_time: record.burn_block_time,
    },
    tip,
    finalized_height,
  });

const burnBlockData = (block: LoggedBlock): string =>
  json({
    topic: 'burn-block',
    canonical: true,
    burn_block: {
      height: block.record.burn_block_height,
      hash: block.record.burn_block_hash,
      time: block.record.burn_block_time,
    },
    block: shortOf(block),
  });

/** A transaction of a block, with its events and members. */
interface LoggedTx {
  /** Position among all transactions. */
  readonly seq: number;
  /** Position in the block. */
  readonly index: number;
  readonly txId: string;
  /** Record in TXS. */
  readonly record: string;
  readonly events: readonly EventFacts[];
  /** Its members, sorted. */
  readonly principals: readonly string[];
}

type TxRow = RowOf<typeof TXS, 'seq' | 'tx_id' | 'record'> & RowOf<typeof TX_BODIES, 'events'>;

const TX_ROWS = 'SELECT t.seq, t.tx_id, t.record, b.events FROM txs t JOIN tx_bodies b ON b.seq = t.seq';

/** A number of transactions of a block, from an index on. */
const rowsFrom = (queries: Queries, { firstTx }: LoggedBlock, index: number, count: number): Promise<TxRow[]> =>
  queries.all<TxRow>(`${TX_ROWS} WHERE t.seq >= ? AND t.seq < ? ORDER BY t.seq`, [
    firstTx + index,
    firstTx + index + count,
  ]);

/** Some transactions of a block. */
const rowsAt = (queries: Queries, { firstTx }: LoggedBlock, indexes: readonly number[]): Promise<TxRow[]> =>
  allIn<TxRow>(
    queries,
    list => `${TX_ROWS} WHERE t.seq IN ${list} ORDER BY t.seq`,
    indexes.map(index => firstTx + index),
  );

async function readLogged(queries: Queries, row: TxRow, { firstTx }: LoggedBlock, pause: Pause): Promise<LoggedTx> {
  const { seq, record } = row;
  const events = await allEvents(queries, seq, row.events, pause);
  const members = principalsOf(rolesInStored(readTransaction(record)), []);
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    await pause();
    for (const principal of principalsOf([], events.slice(from, from + EVENTS_AT_ONCE))) members.add(principal);
  }
  return { seq, index: seq - firstTx, txId: toHex(row.tx_id), record, events, principals: [...members].sort() };
}

const PAUSE = Symbol('pause');

/** Yields undefined for events that the listener does not want, so that the reader can pause there, and PAUSE where it should. */
function* transactionLog(
  block: LoggedBlock,
  tx: LoggedTx,
  interest: Interest,
): Iterable<LogEntry | typeof PAUSE | undefined> {
  const { place } = block;
  const about = { canonical: true, tx_id: tx.txId, tx_index: tx.index, block: shortOf(block) };
  const key = `tx:${tx.txId}`;
  if (interest.wants(key))
    yield new LogEntry(place(PLACE.transaction(tx.index)), {
      event: 'tx',
      keys: [key],
      full: () => withJson({ topic: key, ...about }, 'tx', version1Text(tx.record)),
      ref: () => json({ topic: key, ...about }),
      v1: () => version1Text(tx.record),
    });
  for (const principal of tx.principals) {
    const topic = `principal:${principal}`;
    if (!interest.wants(topic)) {
      yield undefined;
      continue;
    }
    // Prepares the moves of a large transaction in parts beforehand: an event is made in one turn when it is sent.
    const large = tx.events.length > EVENTS_AT_ONCE ? new MovesOfPrincipal(principal, MOST_TRANSFER_BYTES) : undefined;
    for (let to = tx.events.length; large && to > 0; to -= EVENTS_AT_ONCE) {
      large.add(tx.events.slice(Math.max(0, to - EVENTS_AT_ONCE), to));
      yield PAUSE;
    }
    const moved = () => {
      const moves = large ?? new MovesOfPrincipal(principal).add(tx.events);
      return moves.withStxTransfersV1({ tx: tx.seq, record: tx.record }).map(pieceText).join('');
    };
    yield new LogEntry(place(PLACE.transactionOf(tx.index, principal)), {
      event: 'principal-tx',
      keys: [topic],
      full: () => {
        const omitted = large?.exceedsBytes === true && { stx_transfers_omitted: true };
        return withMembers({ topic, principal, ...about, ...omitted }, moved());
      },
      ref: () => json({ topic, principal, ...about }),
      v1: moved,
    });
  }
  for (const event of tx.events) {
    const logged = topicsOfEvent(event, interest);
    if (!logged?.keys.some(each => interest.wants(each))) {
      yield undefined;
      continue;
    }
    const [topic] = logged.keys;
    yield new LogEntry(place(PLACE.event(tx.index, event.index)), {
      ...logged,
      full: () => json({ topic, ...about, event: eventV1(tx.txId, event) }),
      ref: () => json({ topic, ...about, event_index: event.index }),
      ...(event.kind === 'nft' && { v1: () => json(nftEventOfChannelsV1(block, tx, event)) }),
    });
  }
}

/** An object with one more member that is JSON text. */
const withJson = (object: object, name: string, text: string): string =>
  `${json(object).slice(0, -1)},"${name}":${text}}`;

/** An object with the members of another, which is JSON text. */
const withMembers = (object: object, text: string): string => `${json(object).slice(0, -1)},${text.slice(1)}`;

/**
 * The topics that an event belongs to, the widest first. STX events have none: the topics of the principals whose
 * balances change cover them.
 */
function topicsOfEvent(event: EventFacts, interest: Interest) {
  switch (event.kind) {
    case 'log': {
      const key = `contract-log:${event.contractId}`;
      const fields = interest.wants(logFieldsKey(event.contractId)) ? fieldKeysOf(event) : [];
      return { event: 'contract-log' as const, keys: [key, `${key}:${event.topic}`, ...fields] };
    }
    case 'ft':
      return { event: 'ft' as const, keys: [`ft:${event.asset}`] };
    case 'nft':
      return { event: 'nft' as const, keys: [`nft:${event.asset}`, `nft:${event.asset}+${event.value}`, V1.nft] };
    case 'stx':
    case 'stx_lock':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** The topics of a print within its contract. */
function fieldKeysOf({ contractId, value }: EventFacts & { kind: 'log' }): string[] {
  const { topic, principals } = logFieldsOf(value);
  return [
    ...(topic === null ? [] : [`contract-log-topic:${contractId}:${writeLogTopic(topic)}`]),
    ...principals.map(principal => `contract-log-principal:${contractId}:${principal}`),
  ];
}

/** An NFT event in the channels of Socket.IO and JSON-RPC: unlike eventV1, without `asset` and with its place in the chain. */
const nftEventOfChannelsV1 = (
  { record }: LoggedBlock,
  { txId, index }: LoggedTx,
  event: EventFacts & { kind: 'nft' },
) => ({
  ...(event.sender !== null && { sender: event.sender }),
  ...(event.recipient !== null && { recipient: event.recipient }),
  asset_identifier: event.asset,
  asset_event_type: event.action,
  value: { hex: event.value, repr: reprOf(event.value) },
  tx_id: txId,
  tx_index: index,
  block_height: record.height,
  event_index: event.index,
});
