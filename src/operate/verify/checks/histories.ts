import type { RowOf } from '../../../base/store/table.ts';
import { type EventCounts, packEventCounts, packStxTotals } from '../../../index/addresses/stored.ts';
import { type ACCOUNTS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { type AssetEvent, isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { eventOf, type RecordedTransaction, recordedTransactions, recountedMembers } from './sources.ts';

export const historiesCheck: Check = {
  name: 'histories',
  proves:
    'the transactions of each principal, what it moved, paid and counts in each, the sums up to each, what the older histories leave out, and the nonces it paid for, are what a recount gives',
  recounts: [TXS_OF_ADDRESS],
  run: context => withRecount(lists => withSpillingMap(accounts => compare(lists, accounts, context))),
};

/** Sums of a principal up to a transaction, in micro-STX. */
interface Sums {
  readonly received: bigint;
  readonly sent: bigint;
  readonly fees: bigint;
  readonly withoutStx: number;
  readonly withoutTransfers: number;
  readonly paidNonce: number | null;
  readonly isKnown: boolean;
}

const NONE: Sums = {
  received: 0n,
  sent: 0n,
  fees: 0n,
  withoutStx: 0,
  withoutTransfers: 0,
  paidNonce: null,
  isKnown: false,
};

type Account = RowOf<typeof ACCOUNTS, 'principal' | 'known' | 'without_stx' | 'without_transfers' | 'paid_nonce'>;

/** @param accounts by principal: its sums */
async function* compare(lists: Recount, accounts: SpillingMap, context: Context): AsyncIterable<Finding> {
  const { index } = context;
  const boot = await bootTransactions(context);
  for await (const transaction of recordedTransactions(index))
    for (const principal of recountedMembers(transaction)) {
      const before = unpack(await accounts.get(principal));
      const { sums, ...moved } = sumsAfter(before, principal, transaction, boot);
      await accounts.set(principal, pack(sums));
      await lists.add(TXS_OF_ADDRESS, principal, {
        tx: transaction.seq,
        ...moved,
        totals: packStxTotals(sums),
        without_stx: sums.withoutStx,
        without_transfers: sums.withoutTransfers,
        paid_nonce: sums.paidNonce,
      });
    }
  yield* lists.compare([TXS_OF_ADDRESS], index);
  for await (const row of pagedRows<Account>(index, {
    sql: 'SELECT principal, known, without_stx, without_transfers, paid_nonce FROM accounts',
    key: ['principal'],
  })) {
    const { withoutStx, withoutTransfers, paidNonce, isKnown } = unpack(await accounts.get(row.principal));
    const kept = [row.known, row.without_stx, row.without_transfers, row.paid_nonce];
    const expected = [isKnown ? 1 : 0, withoutStx, withoutTransfers, paidNonce];
    if (kept.join() !== expected.join())
      yield wrong(`accounts: ${row.principal} has the counts ${kept}, a recount gives ${expected}`);
  }
}

/** Ids of the artificial transactions of the boot block. */
async function bootTransactions({ index, journal }: Context): Promise<ReadonlySet<string>> {
  const rows = await index.all<RowOf<typeof KNOWN_BLOCKS, 'journal_seq'>>(
    'SELECT journal_seq FROM known_blocks WHERE height = 0',
  );
  const ids = new Set<string>();
  for (const { journal_seq: seq } of rows) {
    const event = seq === null ? undefined : await eventOf(journal, seq, '/new_block');
    for (const tx of event?.block.transactions ?? []) ids.add(tx.txid);
  }
  return ids;
}

/** The part of a principal in a transaction, and its sums after it; independent of index/addresses/members.ts on purpose. */
function sumsAfter(before: Sums, name: string, { tx, events }: RecordedTransaction, boot: ReadonlySet<string>) {
  const { txId, sender, sponsor, payload, nonce } = tx;
  const moves = events.filter(isAssetEvent).filter(event => event.sender === name || event.recipient === name);
  const stx = moves.filter(({ kind }) => kind === 'stx');
  const received = sumOf(stx.filter(({ recipient }) => recipient === name));
  const sent = sumOf(stx.filter(event => event.sender === name));
  const hasRole =
    sender === name ||
    (payload.type === 'token_transfer' && payload.recipient === name) ||
    ((payload.type === 'contract_call' || payload.type === 'smart_contract') && payload.contractId === name);
  const isSponsor = sponsor?.address === name;
  const inStx = !boot.has(txId) && (hasRole || isSponsor || stx.length > 0);
  const inTransfers = hasRole || moves.length > 0;
  const pays = (sponsor?.address ?? sender) === name;
  const fee = pays ? BigInt(tx.fee) : 0n;
  const named = sender === name || (payload.type === 'token_transfer' && payload.recipient === name);
  return {
    sent: String(sent + fee),
    received: String(received),
    counts: moves.length > 0 ? packEventCounts(countsOf(moves)) : null,
    sums: {
      received: before.received + received,
      sent: before.sent + sent,
      fees: before.fees + fee,
      withoutStx: before.withoutStx + (inStx ? 0 : 1),
      withoutTransfers: before.withoutTransfers + (inTransfers ? 0 : 1),
      paidNonce: pays ? Math.max(before.paidNonce ?? 0, nonce) : before.paidNonce,
      isKnown: before.isKnown || named || moves.length > 0,
    },
  };
}

const sumOf = (events: readonly AssetEvent[]): bigint =>
  events.reduce((sum, event) => sum + (event.kind === 'stx' ? BigInt(event.amount) : 0n), 0n);

function countsOf(moves: readonly AssetEvent[]): EventCounts {
  const ofAsset = (kind: AssetEvent['kind']) => {
    const count = (action: AssetEvent['action']) =>
      moves.filter(event => event.kind === kind && event.action === action).length;
    return { transfer: count('transfer'), mint: count('mint'), burn: count('burn') };
  };
  return { stx: ofAsset('stx'), ft: ofAsset('ft'), nft: ofAsset('nft') };
}

const pack = (sums: Sums): string => Object.values(sums).join(' ');

function unpack(text: string | undefined): Sums {
  if (text === undefined) return NONE;
  const [received = '', sent = '', fees = '', withoutStx, withoutTransfers, paidNonce = '', isKnown] = text.split(' ');
  return {
    received: BigInt(received),
    sent: BigInt(sent),
    fees: BigInt(fees),
    withoutStx: Number(withoutStx),
    withoutTransfers: Number(withoutTransfers),
    paidNonce: paidNonce === '' ? null : Number(paidNonce),
    isKnown: isKnown === 'true',
  };
}
