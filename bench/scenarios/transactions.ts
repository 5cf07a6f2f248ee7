import type { Entities, Lists, SampledTransaction } from '../entities.ts';
import { cold, deepOffsets, deepPages, namesOf, type Scenario, scenario } from './scenario.ts';

const V3 = '/extended/v3';
const LIST = '/extended/v1/tx?limit=20';
const TYPES = ['token_transfer', 'contract_call', 'coinbase', 'smart_contract', 'tenure_change'];

/** Transactions by every filter, in every order and depth, and by id. */
export function transactionScenarios(entities: Entities): Scenario[] {
  const { transactions, transactionCount, pending } = entities;
  return [
    scenario('getTransactionListV1 newest, hot', [LIST], 352),
    cold('getTransactionListV1 newest, cold', [LIST], 352),
    cold('getTransactionListV1 second page', [`${LIST}&offset=20`], 352),
    cold(
      'getTransactionListV1 deep page',
      deepOffsets(transactionCount).map(offset => `${LIST}&offset=${offset}`),
      9,
    ),
    cold('getTransactionListV1 oldest first', [`${LIST}&order=asc`]),
    cold('getTransactionListV1 50 newest', ['/extended/v1/tx?limit=50']),
    ...byType(),
    ...ofVersion3(entities),
    ...byList('sender', 'from_address', entities.senders, 361),
    ...byList('recipient', 'to_address', entities.recipients),
    ...byList('contract', 'contract_id', entities.calledContracts, 397),
    ...byList('function', 'function_name', entities.functions),
    ...byList('nonce', 'nonce', entities.nonces),
    ...byTime(transactions),
    ...sorted(entities),
    ...combined(transactions),
    scenario(
      'getTransactionByIdV1',
      transactions.map(({ id }) => `/extended/v1/tx/${id}`),
    ),
    scenario(
      'getTxListDetailsV1 of ten',
      transactions.flatMap((_, i) => {
        const ten = transactions.slice(i, i + 10).map(({ id }) => id);
        return ten.length === 10 ? [`/extended/v1/tx/multiple?tx_id=${ten.join(',')}`] : [];
      }),
    ),
    scenario(
      'getTransactionByIdV1 pending',
      pending.map(({ id }) => `/extended/v1/tx/${id}`),
    ),
    scenario(
      'getFilteredEventsV1 of a transaction',
      transactions.map(({ id }) => `/extended/v1/tx/events?tx_id=${id}`),
    ),
    scenario(
      'getFilteredEventsV1 of a busy address',
      namesOf(entities.principals.busy).map(address => `/extended/v1/tx/events?address=${address}`),
    ),
  ];
}

function byType(): Scenario[] {
  return [
    ...TYPES.map(type => cold(`getTransactionListV1 type ${type}`, [`${LIST}&type=${type}`], 111)),
    cold('getTransactionListV1 type, deep page', [`${LIST}&type=contract_call&offset=1000`]),
    cold('getTransactionListV1 two types', [
      `${LIST}&type=token_transfer,contract_call`,
      `${LIST}&type=coinbase,smart_contract`,
    ]),
  ];
}

/** One filter with its own list: values with few transactions, values with most, and deep pages of the longest list. */
function byList(name: string, parameter: string, { busy, quiet }: Lists, production?: number): Scenario[] {
  const path = (value: string) => `${LIST}&${parameter}=${encodeURIComponent(value)}`;
  return [
    cold(`getTransactionListV1 ${name}, quiet`, namesOf(quiet).map(path), production),
    cold(`getTransactionListV1 ${name}, busy`, namesOf(busy).map(path), production),
    cold(`getTransactionListV1 ${name}, busy, deep page`, deepPages(busy, path)),
  ];
}

function byTime(transactions: readonly SampledTransaction[]): Scenario[] {
  const times = transactions.map(({ burnTime }) => burnTime);
  const day = 86400;
  return [
    cold(
      'getTransactionListV1 start_time',
      times.map(time => `${LIST}&start_time=${time}`),
    ),
    cold(
      'getTransactionListV1 end_time',
      times.map(time => `${LIST}&end_time=${time}`),
    ),
    cold(
      'getTransactionListV1 within a day',
      times.map(time => `${LIST}&start_time=${time}&end_time=${time + day}`),
    ),
    cold(
      'getTransactionListV1 type within a day',
      times.map(time => `${LIST}&type=contract_call&start_time=${time}&end_time=${time + day}`),
    ),
  ];
}

function sorted({ senders, transactionCount }: Entities): Scenario[] {
  const busy = namesOf(senders.busy);
  return [
    cold('getTransactionListV1 by fee', [`${LIST}&sort_by=fee`]),
    cold('getTransactionListV1 by fee, lowest first', [`${LIST}&sort_by=fee&order=asc`]),
    cold(
      'getTransactionListV1 by fee, deep page',
      deepOffsets(transactionCount).map(offset => `${LIST}&sort_by=fee&offset=${offset}`),
    ),
    cold('getTransactionListV1 by time', [`${LIST}&sort_by=burn_block_time`]),
    cold('getTransactionListV1 by time, oldest first', [`${LIST}&sort_by=burn_block_time&order=asc`]),
    cold(
      'getTransactionListV1 type by fee',
      TYPES.map(type => `${LIST}&type=${type}&sort_by=fee`),
    ),
    cold(
      'getTransactionListV1 busy sender by fee',
      busy.map(sender => `${LIST}&from_address=${sender}&sort_by=fee`),
    ),
    cold(
      'getTransactionListV1 busy sender, oldest first',
      busy.map(sender => `${LIST}&from_address=${sender}&order=asc`),
    ),
  ];
}

/** Several filters, taken from transactions that pass them. */
function combined(transactions: readonly SampledTransaction[]): Scenario[] {
  const combination = (name: string, query: (tx: SampledTransaction) => string | undefined): Scenario =>
    cold(
      `getTransactionListV1 ${name}`,
      transactions.flatMap(tx => {
        const filters = query(tx);
        return filters === undefined ? [] : [`${LIST}&${filters}`];
      }),
    );
  return [
    combination(
      'sender and type',
      tx => `from_address=${tx.sender}&type=${tx.contract ? 'contract_call' : 'token_transfer'}`,
    ),
    combination('sender and nonce', tx => (tx.nonce > 0 ? `from_address=${tx.sender}&nonce=${tx.nonce}` : undefined)),
    combination('sender and recipient', tx => tx.recipient && `from_address=${tx.sender}&to_address=${tx.recipient}`),
    combination('sender and contract', tx => tx.contract && `from_address=${tx.sender}&contract_id=${tx.contract}`),
    combination(
      'contract and function',
      tx => tx.functionName && `contract_id=${tx.contract}&function_name=${encodeURIComponent(tx.functionName)}`,
    ),
    combination('function since', tx =>
      tx.functionName ? `function_name=${encodeURIComponent(tx.functionName)}&start_time=${tx.burnTime}` : undefined,
    ),
    combination('contract by fee', tx => tx.contract && `contract_id=${tx.contract}&sort_by=fee`),
    combination(
      'contract, function, sender, time',
      tx =>
        tx.functionName &&
        `contract_id=${tx.contract}&function_name=${encodeURIComponent(tx.functionName)}&from_address=${tx.sender}&end_time=${tx.burnTime}`,
    ),
  ];
}

/** Version 3: pages by cursor, cells of blocks, and the stream as pages. */
function ofVersion3({ blocks, height, principals }: Entities): Scenario[] {
  const own = (path: string) => namesOf(principals.busy).map(principal => `${V3}/principals/${principal}/${path}`);
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  return [
    scenario('getTransactionsV3 newest, hot', [`${V3}/transactions?limit=20`]),
    cold(
      'getTransactionsV3 deep page',
      Array.from({ length: 100 }, (_, i) => `${V3}/transactions?cursor=${1 + Math.floor((height * i) / 200)}:0:0`),
    ),
    scenario(
      'getBlockCellsV3 of 30 blocks',
      filled.map(block => `${V3}/blocks/${block.height}/cells?blocks=30`),
    ),
    scenario('getStreamEventsV3 newest', [`${V3}/stream/events?topics=block&after=0.0000000000.4`]),
    scenario('getPrincipalTransactionsV3 busy principal', own('transactions')),
    scenario(
      'getPrincipalTransactionsV3 busy principal, deep page',
      own(`transactions?cursor=${Math.ceil(height / 2)}:0:0`),
    ),
  ];
}
