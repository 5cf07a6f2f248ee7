import { hexBytes } from '../../../base/lib/hex.ts';
import { isSendMany } from '../../../index/addresses/members.ts';
import {
  EVENTS_OF_ADDRESS,
  INBOUND_OF_ADDRESS,
  LOCKING_TXS_OF_ADDRESS,
  STX_FROM_ADDRESS,
  STX_TO_ADDRESS,
  TXS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
import { LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import { FT_EVENTS_OF, LOCK_EVENTS_OF } from '../../../index/events/tables.ts';
import { EVENTS_OF_TOKEN, historyName, MINTS_BY_ASSET } from '../../../index/nft/tables.ts';
import { poxContract } from '../../../index/pox/prints.ts';
import { ALL_POX_EVENTS } from '../../../index/pox/tables.ts';
import { nonceName } from '../../../index/transactions/mined.ts';
import {
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_SPONSOR,
  TXS_BY_SPONSOR_NONCE,
  TXS_BY_TYPE,
} from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import type { Network } from '../../../ingest/chain/network.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import type { Check } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { type RecordedTransaction, recordedTransactions } from './sources.ts';

const RECOUNTED: readonly ListKind[] = [
  TXS_BY_TYPE,
  TXS_BY_SENDER,
  TXS_BY_RECIPIENT,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_SPONSOR,
  TXS_BY_SPONSOR_NONCE,
  MINTS_BY_ASSET,
  EVENTS_OF_TOKEN,
  LOGS_BY_CONTRACT,
  LOCK_EVENTS_OF,
  FT_EVENTS_OF,
  TXS_OF_ADDRESS,
  EVENTS_OF_ADDRESS,
  LOCKING_TXS_OF_ADDRESS,
  STX_TO_ADDRESS,
  STX_FROM_ADDRESS,
  INBOUND_OF_ADDRESS,
  ALL_POX_EVENTS,
];

export const listLengthsCheck: Check = {
  name: 'totals',
  proves:
    'lists by type, sender, recipient, sponsor, contract, function, nonce, principal, asset, log, token, party of an event, locked principal and recipient of STX with a memo, and that of the prints of PoX, have the length of a recount',
  recounts: RECOUNTED,
  async *run({ index, network, newMap }) {
    const counts = newMap();
    for await (const tx of recordedTransactions(index)) {
      for (const [kind, name] of listsOf(tx)) await counts.add(lengthKey(kind, name), 1);
      for (const recipient of inboundOf(tx, network)) await counts.add(lengthKey(INBOUND_OF_ADDRESS, recipient), 1);
    }
    yield* compareLengths(counts, RECOUNTED, index);
  },
};

function* listsOf({ tx, events }: RecordedTransaction): Iterable<readonly [kind: ListKind, name: string]> {
  const { payload, sponsor, nonce } = tx;
  yield [TXS_BY_TYPE, payload.type];
  yield [TXS_BY_SENDER, tx.sender];
  yield [TXS_BY_NONCE, String(nonce)];
  if (payload.type === 'token_transfer') yield [TXS_BY_RECIPIENT, payload.recipient];
  if (payload.type === 'contract_call') yield [TXS_BY_CONTRACT, payload.contractId];
  if (payload.type === 'contract_call') yield [TXS_BY_FUNCTION, payload.functionName];
  if (sponsor) yield [TXS_BY_SPONSOR, sponsor.address];
  if (sponsor) yield [TXS_BY_SPONSOR_NONCE, nonceName({ address: sponsor.address, nonce: BigInt(nonce) })];
  const { members, locked } = principalsIn({ tx, events });
  for (const principal of members) yield [TXS_OF_ADDRESS, principal];
  for (const principal of locked) if (!members.has(principal)) yield [LOCKING_TXS_OF_ADDRESS, principal];
  for (const event of events) {
    if (event.kind === 'nft' && event.action === 'mint') yield [MINTS_BY_ASSET, event.asset];
    if (event.kind === 'nft')
      yield [EVENTS_OF_TOKEN, historyName({ asset: event.asset, token: hexBytes(event.value) })];
    if (event.kind === 'stx' && event.recipient !== null) yield [STX_TO_ADDRESS, event.recipient];
    if (event.kind === 'stx' && event.sender !== null) yield [STX_FROM_ADDRESS, event.sender];
    if (event.kind === 'stx_lock') yield [LOCK_EVENTS_OF, event.address];
    if (event.kind === 'ft') yield [FT_EVENTS_OF, event.asset];
    if (event.kind === 'log' && isPoxPrint(event)) yield [ALL_POX_EVENTS, ''];
    if (event.kind === 'log') yield [LOGS_BY_CONTRACT, event.contractId];
    else for (const principal of partiesOf(event)) yield [EVENTS_OF_ADDRESS, principal];
  }
}

/** PoX 1 prints nothing. */
function isPoxPrint({ contractId, topic }: Extract<EventFacts, { kind: 'log' }>): boolean {
  const contract = topic === 'print' ? poxContract(contractId) : undefined;
  return contract !== undefined && contract !== 'pox';
}

/** The recipients of STX with a memo (docs/spec/addresses.md#inbound-stx), once for each entry. */
function* inboundOf({ tx, events }: RecordedTransaction, network: Network): Iterable<string> {
  if (tx.payload.type === 'token_transfer') yield tx.payload.recipient;
  for (const [i, event] of events.entries()) {
    if (event.kind !== 'stx' || event.recipient === null) continue;
    if (event.memo !== null) yield event.recipient;
    if (isSendMany(events[i + 1], network)) yield event.recipient;
  }
}

/**
 * Those that take part in a transaction (docs/spec/addresses.md#members-of-a-transaction), and those whose STX it locks: on purpose without the
 * function that the projection follows (index/addresses/roles.ts).
 */
function principalsIn({ tx: { sender, sponsor, payload }, events }: Pick<RecordedTransaction, 'tx' | 'events'>) {
  const members = new Set([sender]);
  if (sponsor) members.add(sponsor.address);
  if (payload.type === 'token_transfer') members.add(payload.recipient);
  if (payload.type === 'contract_call' || payload.type === 'smart_contract') members.add(payload.contractId);
  const locked = new Set<string>();
  for (const event of events)
    if (event.kind === 'stx_lock') locked.add(event.address);
    else if (event.kind !== 'log') for (const principal of partiesOf(event)) members.add(principal);
  return { members, locked };
}

/** The principals that it moves an asset from or to, or whose STX it locks. */
function partiesOf(event: Exclude<EventFacts, { kind: 'log' }>): Iterable<string> {
  const parties = event.kind === 'stx_lock' ? [event.address] : [event.sender, event.recipient];
  return new Set(parties.filter(party => party !== null));
}
