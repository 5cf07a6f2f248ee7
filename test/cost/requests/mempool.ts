import { QUIET } from '../growing-chain.ts';
import { list, page, type Request } from './request.ts';

/** What waits. */
export function ofMempool(): Request[] {
  return [
    page('getMempoolFeePriorities', '/extended/v2/mempool/fees'),
    list('getAddressMempoolTransactions', `/extended/v1/address/${QUIET}/mempool`),
    list('getMempoolTransactionList', '/extended/v1/tx/mempool'),
    list('getDroppedMempoolTransactionList', '/extended/v1/tx/mempool/dropped'),
    page('getUnanchoredTxs', '/extended/v1/microblock/unanchored/txs'),
    page('getMempoolTransactionStats', '/extended/v1/tx/mempool/stats'),
    list('getMempoolTransactionList by fee', '/extended/v1/tx/mempool?order_by=fee'),
    list('getMempoolTransactionList of an address', `/extended/v1/tx/mempool?address=${QUIET}`),
  ];
}
