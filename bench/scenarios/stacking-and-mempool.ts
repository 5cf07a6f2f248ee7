import type { Entities } from '../entities.ts';
import { cold, deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const MEMPOOL = '/extended/v1/tx/mempool?limit=20';

/** Events of PoX, members of pools, and what is pending. */
export function stackingAndMempoolScenarios({ pools, poxEvents, pending, height }: Entities): Scenario[] {
  const senders = pending.map(({ sender }) => sender);
  const recipients = pending.flatMap(({ recipient }) => recipient ?? []);
  return [
    scenario('getMempoolFeePriorities, hot', ['/extended/v2/mempool/fees']),
    cold('getMempoolFeePriorities, cold', ['/extended/v2/mempool/fees']),
    scenario('getPoxEvents', ['/extended/v1/pox4/events']),
    scenario('getPoxEvents, deep page', [`/extended/v1/pox4/events?offset=${poxEvents.length >> 1}`]),
    scenario('getPoolDelegations', namesOf(pools.quiet).map(delegationsTo)),
    scenario('getPoolDelegations busy pool, deep page', deepPages(pools.busy, delegationsTo)),
    scenario(
      'getPoolDelegations up to a height',
      namesOf(pools.busy).map(name => withQuery(delegationsTo(name), `height=${Math.ceil(height / 2)}`)),
    ),
    scenario('getMempoolTransactionList, hot', [MEMPOOL]),
    cold('getMempoolTransactionList, cold', [MEMPOOL]),
    cold('getMempoolTransactionList, second page', [`${MEMPOOL}&offset=20`]),
    cold('getMempoolTransactionList by fee', [`${MEMPOOL}&order_by=fee`]),
    cold('getMempoolTransactionList by size, smallest first', [`${MEMPOOL}&order_by=size&order=asc`]),
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
