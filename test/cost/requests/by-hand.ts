import { PLACE, placeIn, tokenOf } from '../../../src/api/live/token.ts';
import {
  BUSY,
  BUSY_CONTRACT,
  type GrowingChain,
  LOG_TOPIC,
  QUIET,
  QUIET_BLOCKS,
  QUIET_CONTRACT,
} from '../growing-chain.ts';

/** Requests that do not follow from the parameters alone, by operation: values of its parameters. */
export function requestsByHand(chain: GrowingChain): Readonly<Record<string, readonly Record<string, string>[]>> {
  const { quietBlock: block, quietCall: call } = chain;
  const after = tokenOf(placeIn(block.height, block.indexHash, PLACE.end, false));
  return {
    getTransactionListV1: transactionLists(String(block.burn.time), String(block.burn.time + 3000)),
    // It needs one of two optional parameters.
    getFilteredEventsV1: [{ tx_id: call.txId }, { address: QUIET }, { address: BUSY }, { address: BUSY_CONTRACT }],
    getBlockV2: [{ height_or_hash: block.hash }, { height_or_hash: block.indexHash }],
    // Of which topics, and after what.
    getStreamEventsV3: [
      { topics: 'block' },
      { topics: `principal:${BUSY}`, after },
      { topics: `principal:${QUIET}`, after },
      { topics: `contract-log-topic:${QUIET_CONTRACT}:${LOG_TOPIC}`, after },
    ],
    getTransactionsV3: [{ seen_tip: `0x${'57'.repeat(32)}` }],
    // Without the limit, which counts transactions of all its blocks.
    getBlockCellsV3: [
      { height_or_hash: String(block.height), blocks: '10', limit: '500' },
      { height_or_hash: 'latest', blocks: '10', limit: '500' },
    ],
    getSmartContractActivityV3: [
      { contract_id: QUIET_CONTRACT, limit: '1000' },
      { contract_id: BUSY_CONTRACT, limit: '50' },
    ],
    // Both filters: the shorter list is searched.
    getSmartContractLogsV3: [
      { contract_id: QUIET_CONTRACT, topic: LOG_TOPIC, principal: QUIET },
      { contract_id: BUSY_CONTRACT, topic: LOG_TOPIC, principal: BUSY },
    ],
    getMempoolTransactionListV1: [{ order_by: 'fee' }],
  };
}

/** Several filters, and every order: each is read in another way. */
function transactionLists(start_time: string, end_time: string): Record<string, string>[] {
  const TWO = 'token_transfer,contract_call';
  const THREE = `${TWO},smart_contract`;
  const type = 'token_transfer';
  return [
    { order: 'asc' },
    { type },
    { type: TWO },
    { include_events: 'true' },
    { from_address: QUIET, type: 'contract_call' },
    { contract_id: QUIET_CONTRACT, function_name: 'trade' },
    { from_address: BUSY, contract_id: BUSY_CONTRACT },
    { from_address: BUSY, type: TWO },
    { start_time, end_time },
    { from_address: QUIET, start_time },
    { from_address: BUSY, end_time },
    { type, start_time },
    { type: TWO, start_time },
    { from_address: QUIET, type: 'contract_call', start_time },
    { order: 'asc', type: THREE },
    ...[{}, { from_address: QUIET }, { from_address: BUSY }, { type }, { type: THREE }, { end_time }].map(filter => ({
      sort_by: 'fee',
      ...filter,
    })),
    ...[{}, { type }, { type: TWO }, { from_address: BUSY }].map(filter => ({ sort_by: 'burn_block_time', ...filter })),
  ];
}

/** Without one of their optional parameters they find nothing. */
export const ONLY_BY_HAND: ReadonlySet<string> = new Set(['getFilteredEventsV1', 'getStreamEventsV3']);

/** The length of a busy list whose response has no total, by operation: from the number of blocks. */
export const LENGTHS: Readonly<Record<string, (blocks: number) => number>> = {
  getPoxEventsV1: blocks => 5 * blocks,
  getPoxEventsByStackerV1: blocks => blocks - QUIET_BLOCKS,
  getBurnchainRewardListV1: blocks => blocks - QUIET_BLOCKS,
  getBurnchainRewardListByAddressV1: blocks => blocks - QUIET_BLOCKS,
  getContractEventsByIdV1: blocks => blocks - QUIET_BLOCKS,
  getContractsByTraitV1: blocks => blocks / 2,
  findContractsByTraitV1: blocks => blocks / 2,
  // Offsets end at 1000 and 300; further down there are cursors.
  getSmartContractLogsV2: blocks => Math.min(1000, blocks - QUIET_BLOCKS),
  getBlocksV2: () => 300,
  getTenureBlocksV2: () => 300,
  getFilteredEventsV1: () => 300,
};
