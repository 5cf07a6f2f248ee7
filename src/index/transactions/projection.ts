import { hexBytes } from '../../base/lib/hex.ts';
import { u64 } from '../../base/lib/number-bytes.ts';
import type { BlockFacts, TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { type FunctionOf, functionsOfContracts } from '../contracts/functions.ts';
import { extendBusyLists } from './busy-lists.ts';
import type { UnitTransaction } from './combined-lists.ts';
import { packEvents } from './events.ts';
import { nonceName } from './mined.ts';
import { keepTransactionsOffChain } from './orphans.ts';
import { confirmedTransaction, contextOf, feeOf } from './record.ts';
import { packTransaction } from './stored.ts';
import {
  ALL_TXS,
  BODIES_OF_TXS,
  COMBINED_TXS,
  EVENT_PARTS_OF_TXS,
  FEE_TXS,
  ORPHANED_TXS,
  RAW_TXS,
  TX_TYPES,
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
  TXS_BY_SPONSOR,
  TXS_BY_SPONSOR_NONCE,
  TXS_BY_TYPE,
} from './tables.ts';

/**
 * Transactions in chain order, their lists by type, sender, recipient, sponsor, contract, function and nonce (getTransactionsByBlockV2,
 * getTransactionListV1, getRawTransactionByIdV1).
 */
export const transactionsProjection: Projection = {
  name: 'transactions',
  stateTables: [],
  keptTables: [RAW_TXS, ORPHANED_TXS],
  lists: [
    ALL_TXS,
    BODIES_OF_TXS,
    EVENT_PARTS_OF_TXS,
    TXS_BY_TYPE,
    TXS_BY_SENDER,
    TXS_BY_RECIPIENT,
    TXS_BY_CONTRACT,
    TXS_BY_FUNCTION,
    TXS_BY_NONCE,
    TXS_BY_SPONSOR,
    TXS_BY_SPONSOR_NONCE,
    COMBINED_TXS,
    FEE_TXS,
  ],

  hooks: keepTransactionsOffChain,

  prepare({ txs }: BlockFacts, workspace: Workspace) {
    const names = txs.map(listNames);
    const functionOf = functionsOfContracts(workspace, txs);
    workspace.loadLists(ALL_TXS, ['']);
    workspace.loadLists(BODIES_OF_TXS, ['']);
    workspace.loadLists(EVENT_PARTS_OF_TXS, ['']);
    workspace.loadLists(TXS_BY_TYPE, new Set(names.map(name => name.type)));
    workspace.loadLists(TXS_BY_SENDER, new Set(names.map(name => name.sender)));
    workspace.loadLists(TXS_BY_RECIPIENT, present(names.map(name => name.recipient)));
    workspace.loadLists(TXS_BY_CONTRACT, present(names.map(name => name.contract)));
    workspace.loadLists(TXS_BY_FUNCTION, present(names.map(name => name.function)));
    workspace.loadLists(TXS_BY_NONCE, new Set(names.map(name => name.nonce)));
    workspace.loadLists(TXS_BY_SPONSOR, present(names.map(name => name.sponsor)));
    workspace.loadLists(TXS_BY_SPONSOR_NONCE, present(names.map(name => name.sponsorNonce)));
    return (unit: Unit) => addTransactions(unit, names, functionOf, workspace);
  },
};

/** @param names the lists that each transaction is in */
function addTransactions(
  { kind, block }: Unit,
  names: readonly ListNames[],
  functionOf: FunctionOf,
  workspace: Workspace,
): Promise<void> | undefined {
  const listed: UnitTransaction[] = [];
  const context = contextOf(block, kind === 'block');
  for (const [i, tx] of block.txs.entries()) {
    const name = names[i] ?? listNames(tx);
    const seq = workspace.lengthOf(ALL_TXS);
    const addTo = (kind: typeof TXS_BY_TYPE, name: string) => {
      const place = workspace.append(kind, name, { tx: seq });
      return { id: workspace.listId(kind, name), place };
    };
    const type = addTo(TXS_BY_TYPE, name.type);
    const nonce = addTo(TXS_BY_NONCE, name.nonce);
    if (name.sponsor !== null) addTo(TXS_BY_SPONSOR, name.sponsor);
    if (name.sponsorNonce !== null) addTo(TXS_BY_SPONSOR_NONCE, name.sponsorNonce);
    const sender = addTo(TXS_BY_SENDER, name.sender);
    const recipient = name.recipient === null ? undefined : addTo(TXS_BY_RECIPIENT, name.recipient);
    const contract = name.contract === null ? undefined : addTo(TXS_BY_CONTRACT, name.contract);
    const calledFunction = name.function === null ? undefined : addTo(TXS_BY_FUNCTION, name.function);
    const fee = u64(feeOf(tx.transaction));
    listed.push({ tx: seq, fee, lists: { type, sender, recipient, contract, function: calledFunction, nonce } });
    workspace.append(ALL_TXS, '', {
      tx_id: hexBytes(tx.txId),
      height: context.blockHeight,
      type: TX_TYPES[tx.transaction.payload.kind],
      burn_time: context.burnBlockTime,
      fee,
      nonce: Number(tx.transaction.origin.nonce),
      sender: sender.id,
      recipient: recipient?.id ?? null,
      contract: contract?.id ?? null,
      function: calledFunction?.id ?? null,
      record: packTransaction(confirmedTransaction(tx, context, functionOf)),
    });
    const [events = null, ...further] = packEvents(tx.events);
    workspace.append(BODIES_OF_TXS, '', { events, raw: hexBytes(tx.rawTx) });
    for (const [i, part] of further.entries())
      workspace.append(EVENT_PARTS_OF_TXS, '', { tx: seq, part: i + 1, events: part });
  }
  return extendBusyLists(workspace, listed);
}

const present = (names: readonly (string | null)[]): Set<string> => new Set(names.filter(name => name !== null));

type ListNames = ReturnType<typeof listNames>;

function listNames({ transaction }: TransactionFacts) {
  const { payload, sponsor } = transaction;
  return {
    type: payload.kind,
    nonce: String(transaction.origin.nonce),
    sponsor: sponsor?.address ?? null,
    sponsorNonce: sponsor && nonceName(sponsor),
    sender: transaction.origin.address,
    recipient: payload.kind === 'token_transfer' ? payload.recipient : null,
    contract: payload.kind === 'contract_call' ? payload.contractId : null,
    function: payload.kind === 'contract_call' ? payload.functionName : null,
  };
}
