import { transactionId } from '../../../base/codec/index.ts';
import { fromHex, hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { countBlocks } from '../../../index/blocks/canonical-chain.ts';
import { POX_UNLOCK_HEIGHTS } from '../../../index/blocks/chain-facts.ts';
import { packSignatures, unlockHeightsAfter } from '../../../index/blocks/stored.ts';
import { ALL_BLOCK_SIGNATURES, type BLOCK_SIGNATURES } from '../../../index/blocks/tables.ts';
import { type FunctionOf, findInInterface } from '../../../index/contracts/functions.ts';
import type { CONTRACTS } from '../../../index/contracts/tables.ts';
import { packEvents } from '../../../index/transactions/events.ts';
import { countTransactions } from '../../../index/transactions/positions.ts';
import { confirmedTransaction, contextOf } from '../../../index/transactions/record.ts';
import { readTransaction, transactionV1, version1Text } from '../../../index/transactions/stored.ts';
import {
  ALL_TXS,
  BODIES_OF_TXS,
  EVENT_PARTS_OF_TXS,
  type RAW_TXS,
  type TX_BODIES,
  type TX_EVENT_PARTS,
  type TXS,
} from '../../../index/transactions/tables.ts';
import {
  type BlockFacts,
  hasOwnId,
  readBlock,
  withBootBlock,
  withoutTransactions,
} from '../../../ingest/chain/block-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { isSetAside } from '../../../ingest/indexer/set-aside.ts';
import type { FACTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { type PagedQuery, pagedRows } from '../pages.ts';
import { type CanonicalRow, canonicalBlocks, eventIfKept, eventOf } from './sources.ts';

export const blockTransactionsCheck: Check = {
  name: 'transactions',
  proves:
    'every transaction of a canonical block is in the index exactly once, in its block or one below that has it too, with its times, as its payload has it, and found by its id; the further events of large ones are those of its payload',
  recounts: [ALL_TXS, EVENT_PARTS_OF_TXS],

  async *run(context) {
    const unlockFact: UnlockFact = { value: undefined };
    let isPartial = false;
    const onDropped = () => {
      isPartial = true;
      context.onDropped();
    };
    for await (const block of canonicalBlocks(context.index))
      yield* compareBlock(block, unlockFact, { ...context, onDropped });
    // A block with a dropped payload may have been the last one that named them.
    if (!isPartial) yield* compareUnlockHeights(unlockFact, context);
    yield* findRepeated(context);
  },
};

/** If microblocks were streamed before, the order in a block may differ from that of the payload. */
async function* compareBlock(block: CanonicalRow, fact: UnlockFact, context: Context): AsyncIterable<Finding> {
  const { index, network } = context;
  const height = block.seq + 1;
  const event = await eventIfKept(context, block.journal_seq, '/new_block');
  if (!event || event === 'dropped') return; // a missing one is reported by the check of known blocks
  const own = readBlock(event.block, network).facts;
  const boot = height === 1 ? await bootBlock(own.parentIndexBlockHash, context) : undefined;
  const row = fact.value === undefined ? undefined : { value: fact.value };
  fact.value = unlockHeightsAfter(row, own.height, own.poxUnlockHeights) ?? fact.value;
  const whole = boot ? withBootBlock(own, boot) : own;
  const repeats = await chainHasBelow(block, whole, index);
  const facts = withoutTransactions(whole, repeats);
  const isListed = await isSetAside(index, block.journal_seq ?? 0);
  if (isListed !== repeats.size + whole.repeated.length > 0)
    yield wrong(
      `set_aside: height ${height} ${isListed ? 'has no transaction' : 'has transactions'} that the chain has already`,
    );
  const expected = facts.txs.map(({ txId }) => txId).sort();
  const rows = await index.all<RowOf<typeof TXS, 'tx_id' | 'height' | 'burn_time' | 'record'>>(
    'SELECT tx_id, height, burn_time, record FROM txs WHERE seq >= ? AND seq < ?',
    [block.first_tx, block.first_tx + block.tx_rows],
  );
  const found = rows.map(row => toHex(row.tx_id)).sort();
  if (found.join() !== expected.join())
    yield wrong(
      `txs: the ${found.length} transactions of height ${height} are not the ${expected.length} of its payload`,
    );
  const strayed = rows.find(row => row.height !== height);
  if (strayed) yield wrong(`txs: ${toHex(strayed.tx_id)} has height ${strayed.height}, its block ${height}`);
  const untimely = rows.find(row => row.burn_time !== own.burnBlockTime);
  if (untimely)
    yield wrong(`txs: ${toHex(untimely.tx_id)} has burn time ${untimely.burn_time}, its block ${own.burnBlockTime}`);
  yield* compareRecords(facts, new Map(rows.map(({ tx_id, record }) => [toHex(tx_id), record])), index);
  yield* compareEventParts(facts, block, index);
}

/** The first events of each transaction are in TX_BODIES: other checks recount from them. */
async function* compareEventParts(
  { height, txs }: BlockFacts,
  { first_tx, tx_rows }: CanonicalRow,
  index: Queries,
): AsyncIterable<Finding> {
  const rows = await index.all<RowOf<typeof TX_EVENT_PARTS, 'part' | 'events'> & RowOf<typeof TXS, 'tx_id'>>(
    `SELECT t.tx_id, e.part, e.events FROM tx_event_parts e JOIN txs t ON t.seq = e.tx
      WHERE e.tx >= ? AND e.tx < ?`,
    [first_tx, first_tx + tx_rows],
  );
  const found = new Map(rows.map(({ tx_id, part, events }) => [`${toHex(tx_id)} ${part}`, events]));
  let expected = 0;
  for (const { txId, events } of txs)
    for (const [i, text] of packEvents(events).slice(1).entries()) {
      expected++;
      if (found.get(`${txId} ${i + 1}`) !== text)
        yield wrong(`tx_event_parts: part ${i + 1} of ${txId} is not what its payload gives`);
    }
  if (rows.length !== expected)
    yield wrong(`tx_event_parts: height ${height} has ${rows.length} parts, its payload gives ${expected}`);
}

/** Ids of transactions that are left out of the block, because a block below it has them (docs/spec/ingestion.md#duplicate-transactions). */
async function chainHasBelow(
  { first_tx }: CanonicalRow,
  { txs }: BlockFacts,
  index: Queries,
): Promise<ReadonlySet<string>> {
  const rows = await allIn<RowOf<typeof TXS, 'tx_id'>>(
    index,
    list => `SELECT tx_id FROM txs WHERE seq < ? AND tx_id IN ${list}`,
    txs.filter(hasOwnId).map(({ txId }) => hexBytes(txId)),
    [first_tx],
  );
  return new Set(rows.map(({ tx_id }) => toHex(tx_id)));
}

/** The fact POX_UNLOCK_HEIGHTS, computed from the payloads; undefined until a payload has a height. */
interface UnlockFact {
  value: string | undefined;
}

async function* compareUnlockHeights({ value }: UnlockFact, { index }: Context): AsyncIterable<Finding> {
  const sql = 'SELECT value FROM facts WHERE name = ?';
  const fact = await index.get<RowOf<typeof FACTS, 'value'>>(sql, [POX_UNLOCK_HEIGHTS]);
  if (fact?.value !== value) yield wrong(`facts: the unlock heights are ${fact?.value}, the blocks have ${value}`);
}

/** @param records of the transactions of the block, by id */
async function* compareRecords(
  block: BlockFacts,
  records: ReadonlyMap<string, string>,
  index: Queries,
): AsyncIterable<Finding> {
  const functionOf = await functionsKnownAt(block, index);
  const context = contextOf(block, true);
  for (const tx of block.txs) {
    const record = records.get(tx.txId);
    if (record === undefined) continue; // reported already
    // Streamed transactions keep the number that they had in their microblock.
    const txIndex = tx.microblock ? readTransaction(record).txIndex : tx.txIndex;
    if (
      version1Text(record) !==
      JSON.stringify(transactionV1(confirmedTransaction({ ...tx, txIndex }, context, functionOf)))
    )
      yield wrong(`txs: the record of ${tx.txId} is not what its payload gives`);
  }
}

/** The interfaces of the contracts that a block calls, and that it or a block below it deployed. */
async function functionsKnownAt({ height, txs }: BlockFacts, index: Queries): Promise<FunctionOf> {
  const called = txs.flatMap(({ transaction: { payload } }) =>
    payload.kind === 'contract_call' ? [payload.contractId] : [],
  );
  const rows = await allIn<RowOf<typeof CONTRACTS, 'contract_id' | 'interface'> & RowOf<typeof TXS, 'height'>>(
    index,
    list => `SELECT c.contract_id, c.interface, t.height
      FROM contracts c JOIN txs t ON t.tx_id = c.tx_id WHERE c.contract_id IN ${list}`,
    [...new Set(called)],
  );
  const interfaces = new Map(rows.filter(row => row.height <= height).map(row => [row.contract_id, row.interface]));
  return (contractId, functionName) => {
    const text = interfaces.get(contractId);
    return typeof text === 'string' ? findInInterface(text, functionName) : undefined;
  };
}

async function bootBlock(
  indexBlockHash: string,
  { index, journal, network }: Pick<Context, 'index' | 'journal' | 'network'>,
) {
  const row = await index.get<RowOf<typeof KNOWN_BLOCKS, 'journal_seq'>>(
    'SELECT journal_seq FROM known_blocks WHERE index_block_hash = ? AND height = 0',
    [fromHex(indexBlockHash) ?? null],
  );
  const event = row && (await eventOf(journal, row.journal_seq, '/new_block'));
  return event && readBlock(event.block, network).facts;
}

/** Reads through the index on the id, and so also finds damage of that index. */
async function* findRepeated({ index }: Context): AsyncIterable<Finding> {
  let previous = '';
  let count = 0;
  for await (const row of pagedRows<RowOf<typeof TXS, 'tx_id' | 'seq'>>(index, {
    sql: 'SELECT tx_id, seq FROM txs',
    key: ['tx_id', 'seq'],
  })) {
    const txId = toHex(row.tx_id);
    if (txId === previous && !(await isOperation(index, row.seq)))
      yield wrong(`txs: ${txId} is there more than once, also at ${row.seq}`);
    previous = txId;
    count++;
  }
  const total = await countTransactions(index);
  if (count !== total) yield wrong(`txs: ${count} are found by their id, of ${total}`);
}

/** Operations from Bitcoin may have one id. */
async function isOperation(index: Queries, seq: number): Promise<boolean> {
  const sql = 'SELECT raw FROM tx_bodies WHERE seq = ?';
  const body = await index.get<RowOf<typeof TX_BODIES, 'raw'>>(sql, [seq]);
  return body !== undefined && isBitcoinOperation(body.raw);
}

export const signaturesCheck: Check = {
  name: 'signatures',
  proves: 'the signatures of the signers of each block are those of its payload, in their order',
  recounts: [ALL_BLOCK_SIGNATURES],

  async *run(context: Context): AsyncIterable<Finding> {
    const { index } = context;
    for await (const block of canonicalBlocks(index)) {
      const event = await eventIfKept(context, block.journal_seq, '/new_block');
      if (!event || event === 'dropped') continue; // a missing one is reported by the check of known blocks
      const sql = 'SELECT signatures FROM block_signatures WHERE seq = ?';
      const row = await index.get<RowOf<typeof BLOCK_SIGNATURES, 'signatures'>>(sql, [block.seq]);
      const expected = packSignatures(event.block.signer_signature ?? []);
      if (!row || Buffer.compare(row.signatures ?? EMPTY, expected ?? EMPTY) !== 0)
        yield wrong(`block_signatures: those of height ${block.seq + 1} are not those of its payload`);
    }
  },
};

const EMPTY = new Uint8Array();

export const rawTransactionsCheck: Check = {
  name: 'bytes of transactions',
  proves: 'the id of every transaction is that of its bytes; canonical and pending ones have theirs, once',
  recounts: [BODIES_OF_TXS],

  async *run({ index }) {
    const rawTxs = { sql: 'SELECT tx_id, raw FROM raw_txs', key: ['tx_id'] };
    const txs = { sql: 'SELECT t.seq, t.tx_id, b.raw FROM txs t LEFT JOIN tx_bodies b ON b.seq = t.seq', key: ['seq'] };
    const pending = { sql: 'SELECT t.tx_id, r.raw FROM pending_txs t LEFT JOIN raw_txs r ON r.tx_id = t.tx_id' };
    yield* checked(index, 'raw_txs', rawTxs);
    yield* checked(index, 'tx_bodies', { ...txs, alias: 't' });
    yield* checked(index, 'pending_txs', { ...pending, key: ['tx_id'], alias: 't' });
    yield* keptTwice(index);
  },
};

type RawRow = RowOf<typeof RAW_TXS, 'tx_id'> & OuterRowOf<typeof RAW_TXS, 'raw'>;

/** The node sends one zero byte for an operation from Bitcoin. */
const isBitcoinOperation = (raw: Uint8Array): boolean => raw.length === 1 && raw[0] === 0;

async function* checked(index: Queries, table: string, query: PagedQuery): AsyncIterable<Finding> {
  for await (const { tx_id, raw } of pagedRows<RawRow>(index, { ...query, pageSize: 200 })) {
    if (!raw?.length) yield wrong(`${table}: there are no bytes of ${toHex(tx_id)}`);
    else if (!isBitcoinOperation(raw) && transactionId(raw) !== toHex(tx_id))
      yield wrong(`${table}: the bytes of ${toHex(tx_id)} are those of another transaction`);
  }
}

/** Transactions of microblocks on the tip have greater heights than the tip. */
async function* keptTwice(index: Queries): AsyncIterable<Finding> {
  const height = await countBlocks(index);
  for await (const { tx_id } of pagedRows<RowOf<typeof TXS, 'tx_id' | 'height'>>(index, {
    sql: `SELECT r.tx_id, t.height FROM raw_txs r JOIN txs t ON t.tx_id = r.tx_id AND t.height <= ${height}`,
    key: ['tx_id'],
    alias: 'r',
  }))
    yield wrong(`raw_txs: ${toHex(tx_id)} is in a canonical block, which has its bytes`);
}
