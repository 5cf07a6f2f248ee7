import type { Entities } from '../entities.ts';
import { cold, deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const MEMPOOL = '/extended/v1/tx/mempool?limit=20';

/**
 * Stacking: cycles, signers, stackers and members of pools; what is pending: getMempoolFeePriorities,
 * getMempoolTransactionList, getDroppedMempoolTransactionList, getMempoolTransactionStats.
 */
export function stackingAndMempoolScenarios({
  cycles,
  microblocks,
  pools,
  poxEvents,
  pending,
  height,
}: Entities): Scenario[] {
  const signersOf = (cycle: number) => `/extended/v2/pox/cycles/${cycle}/signers`;
  const senders = pending.map(({ sender }) => sender);
  const recipients = pending.flatMap(({ recipient }) => recipient ?? []);
  return [
    scenario('getMempoolFeePriorities, hot', ['/extended/v2/mempool/fees']),
    cold('getMempoolFeePriorities, cold', ['/extended/v2/mempool/fees']),
    scenario('getPoxEvents', ['/extended/v1/pox4/events']),
    scenario('getPoxEvents, deep page', [`/extended/v1/pox4/events?offset=${poxEvents.length >> 1}`]),
    scenario(
      'getPoxEventsByTransaction',
      poxEvents.map(({ txId }) => `/extended/v1/pox4/tx/${txId}`),
    ),
    scenario(
      'getPoxEventsByStacker',
      poxEvents.map(({ stacker }) => `/extended/v1/pox4/stacker/${stacker}`),
    ),
    scenario('getPoxCycles', ['/extended/v2/pox/cycles']),
    scenario(
      'getPoxCycle',
      cycles.map(({ cycle }) => `/extended/v2/pox/cycles/${cycle}`),
    ),
    scenario(
      'getPoxCycleSigners',
      cycles.map(({ cycle }) => `${signersOf(cycle)}?limit=20`),
    ),
    scenario(
      'getPoxCycleSigner',
      cycles.flatMap(({ cycle, signers }) => signers.map(key => `${signersOf(cycle)}/${key}`)),
    ),
    scenario(
      'getPoxCycleSignerStackers',
      cycles.flatMap(({ cycle, signers }) => signers.map(key => `${signersOf(cycle)}/${key}/stackers`)),
    ),
    scenario('getPoolDelegations', namesOf(pools.quiet).map(delegationsTo)),
    scenario('getPoolDelegations busy pool, deep page', deepPages(pools.busy, delegationsTo)),
    scenario(
      'getPoolDelegations up to a height',
      namesOf(pools.busy).map(name => withQuery(delegationsTo(name), `height=${Math.ceil(height / 2)}`)),
    ),
    scenario('getUnanchoredTxs', ['/extended/v1/microblock/unanchored/txs']),
    scenario('getMicroblockList', ['/extended/v1/microblock?limit=20']),
    scenario(
      'getMicroblockByHash',
      microblocks.map(hash => `/extended/v1/microblock/${hash}`),
    ),
    scenario('getMempoolTransactionStats', ['/extended/v1/tx/mempool/stats']),
    scenario('getDroppedMempoolTransactionList', ['/extended/v1/tx/mempool/dropped?limit=20']),
    scenario('getMempoolTransactionList, hot', [MEMPOOL]),
    cold('getMempoolTransactionList, cold', [MEMPOOL]),
    cold('getMempoolTransactionList, second page', [`${MEMPOOL}&offset=20`]),
    cold('getMempoolTransactionList by fee', [`${MEMPOOL}&order_by=fee`]),
    cold('getMempoolTransactionList by size, smallest first', [`${MEMPOOL}&order_by=size&order=asc`]),
    scenario(
      'getMempoolTransactionPosition',
      pending.map(({ id }) => `/extended/v3/mempool/transactions/${id}/position`),
    ),
    cold(
      'getMempoolTransactionList of a sender',
      senders.map(sender => `${MEMPOOL}&sender_address=${sender}`),
    ),
    cold(
      'getMempoolTransactionList of a recipient',
      recipients.map(recipient => `${MEMPOOL}&recipient_address=${recipient}`),
    ),
    cold(
      'getMempoolTransactionList of an address',
      senders.map(address => `${MEMPOOL}&address=${address}`),
    ),
  ];
}

/** @param name of its list: `pox-4 POOL` */
function delegationsTo(name: string): string {
  const [contract = '', pool = ''] = name.split(' ');
  return `/extended/v1/${contract.replace('-', '')}/${pool}/delegations?limit=20`;
}
