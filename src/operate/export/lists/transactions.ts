import type { RowOf } from '../../../base/store/table.ts';
import { readTransaction, type StoredPayload } from '../../../index/transactions/stored.ts';
import { TXS } from '../../../index/transactions/tables.ts';
import { always, type ExportRow, sometimes, stxAmount } from '../columns.ts';
import type { PagesOf } from '../exported-list.ts';
import { numberedPages } from './numbered-pages.ts';

export const TRANSACTION_COLUMNS = {
  tx_position: always('integer', 'position in the chain, from 0 on'),
  tx_id: always('text', 'id'),
  block_height: always('integer', 'height of the block'),
  block_hash: always('text', 'hash of the block'),
  block_time: always('time', 'time of the block'),
  tx_index: always('integer', 'position in the block'),
  burn_block_height: always('integer', 'height of the Bitcoin block'),
  burn_block_time: always('time', 'time of the Bitcoin block'),
  type: always('text', 'as `tx_type` of the API'),
  status: always('text', 'as `tx_status` of the API'),
  sender: always('text', 'address of the origin'),
  nonce: always('integer', 'nonce of the origin'),
  sponsor: sometimes('text', 'address of the sponsor'),
  sponsor_nonce: sometimes('integer', 'nonce of the sponsor'),
  fee: always('amount', 'micro-STX, of the sponsor if there is one'),
  recipient: sometimes('text', 'recipient of a token transfer, or of a coinbase that names one'),
  amount: sometimes('amount', 'micro-STX of a token transfer'),
  memo: sometimes('text', 'memo of a token transfer (hex)'),
  contract_id: sometimes('text', 'contract that is called or deployed'),
  function_name: sometimes('text', 'function that is called'),
  function_args: sometimes('json', 'arguments of the call: a list of objects with `hex`, `repr`, `name`, `type`'),
  clarity_version: sometimes('integer', 'version that a deployment names'),
  tenure_change_cause: sometimes('text', 'cause of a tenure change'),
  post_condition_mode: always('text', '`allow`, `deny` or `originator`'),
  result: always('text', 'Clarity value of the result (hex)'),
  result_repr: always('text', 'the same for people'),
  vm_error: sometimes('text', 'why the contract failed'),
  event_count: always('integer', 'number of events'),
  execution_cost_read_count: always('integer', 'cost of execution'),
  execution_cost_read_length: always('integer', 'cost of execution'),
  execution_cost_runtime: always('integer', 'cost of execution'),
  execution_cost_write_count: always('integer', 'cost of execution'),
  execution_cost_write_length: always('integer', 'cost of execution'),
};

type Row = RowOf<typeof TXS, 'seq' | 'record'>;

/** The transactions of a part, in the order of the chain. */
export const transactionPages: PagesOf<typeof TRANSACTION_COLUMNS> = (read, { transactions }) =>
  numberedPages(
    read,
    {
      ...{ table: TXS, large: 'record' },
      rows: (queries, { from, to }) =>
        queries.all<Row>('SELECT seq, record FROM txs WHERE seq >= ? AND seq < ? ORDER BY seq', [from, to]),
      exported: rowOf,
    },
    transactions,
  );

function rowOf({ seq, record }: Row): ExportRow<typeof TRANSACTION_COLUMNS> {
  const tx = readTransaction(record);
  return {
    tx_position: seq,
    tx_id: tx.txId,
    block_height: tx.blockHeight,
    block_hash: tx.blockHash,
    block_time: tx.blockTime,
    tx_index: tx.txIndex,
    burn_block_height: tx.burnBlockHeight,
    burn_block_time: tx.burnBlockTime,
    type: tx.payload.type,
    status: tx.status,
    sender: tx.sender,
    nonce: tx.nonce,
    sponsor: tx.sponsor?.address ?? null,
    sponsor_nonce: tx.sponsor?.nonce ?? null,
    fee: stxAmount(tx.fee),
    ...NO_PAYLOAD,
    ...payloadFields(tx.payload),
    post_condition_mode: tx.postConditionMode,
    result: tx.result.hex,
    result_repr: tx.result.repr,
    vm_error: tx.vmError,
    event_count: tx.eventCount,
    execution_cost_read_count: tx.cost.read_count,
    execution_cost_read_length: tx.cost.read_length,
    execution_cost_runtime: tx.cost.runtime,
    execution_cost_write_count: tx.cost.write_count,
    execution_cost_write_length: tx.cost.write_length,
  };
}

const NO_PAYLOAD = {
  recipient: null,
  amount: null,
  memo: null,
  contract_id: null,
  function_name: null,
  function_args: null,
  clarity_version: null,
  tenure_change_cause: null,
};

/** The values of a transaction type for the columns of NO_PAYLOAD. */
function payloadFields(payload: StoredPayload): Partial<ExportRow<typeof TRANSACTION_COLUMNS>> {
  switch (payload.type) {
    case 'token_transfer':
      return { recipient: payload.recipient, amount: stxAmount(payload.amount), memo: payload.memo };
    case 'contract_call':
      return {
        contract_id: payload.contractId,
        function_name: payload.functionName,
        function_args: JSON.stringify(payload.args),
      };
    case 'smart_contract':
      return { contract_id: payload.contractId, clarity_version: payload.clarityVersion };
    case 'coinbase':
      return { recipient: payload.altRecipient };
    case 'tenure_change':
      return { tenure_change_cause: payload.cause };
    case 'poison_microblock':
      return {};
    default:
      return payload satisfies never;
  }
}
