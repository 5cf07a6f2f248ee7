import type { Entities } from '../entities.ts';
import { cold, deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const MEMPOOL = '/extended/v1/tx/mempool?limit=20';

/** Events of PoX, members of pools, and what is pending. */
export function stackingAndMempoolScenarios({ pools, poxEvents, pending, height }: Entities): Scenario[] {
  const senders = pending.map(({ sender }) => sender);
  const recipients = pending.flatMap(({ recipient }) => recipient ?? []);
  return [
    scenario('getMempoolFeePrioritiesV2, hot', ['/extended/v2/mempool/fees']),
    cold('getMempoolFeePrioritiesV2, cold', ['/extended/v2/mempool/fees']),
    scenario('getPoxEventsV1', ['/extended/v1/pox4/events']),
    scenario('getPoxEventsV1, deep page', [`/extended/v1/pox4/events?offset=${poxEvents.length >> 1}`]),
    scenario('getPoolDelegationsV1', namesOf(pools.quiet).map(delegationsTo)),
    scenario('getPoolDelegationsV1 busy pool, deep page', deepPages(pools.busy, delegationsTo)),
    scenario(
      'getPoolDelegationsV1 up to a height',
      namesOf(pools.busy).map(name => withQuery(delegationsTo(name), `height=${Math.ceil(height / 2)}`)),
    ),
    scenario('getMempoolTransactionListV1, hot', [MEMPOOL]),
    cold('getMempoolTransactionListV1, cold', [MEMPOOL]),
    cold('getMempoolTransactionListV1, second page', [`${MEMPOOL}&offset=20`]),
    cold('getMempoolTransactionListV1 by fee', [`${MEMPOOL}&order_by=fee`]),
    cold('getMempoolTransactionListV1 by size, smallest first', [`${MEMPOOL}&order_by=size&order=asc`]),
    cold(
      'getMempoolTransactionListV1 of a sender',
      senders.map(sender => `${MEMPOOL}&sender_address=${sender}`),
    ),
    cold(
      'getMempoolTransactionListV1 of a recipient',
      recipients.map(recipient => `${MEMPOOL}&recipient_address=${recipient}`),
    ),
    cold(
      'getMempoolTransactionListV1 of an address',
      senders.map(address => `${MEMPOOL}&address=${address}`),
    ),
  ];
}

/** @param name of its list: `pox-4 POOL` */
function delegationsTo(name: string): string {
  const [contract = '', pool = ''] = name.split(' ');
  return `/extended/v1/${contract.replace('-', '')}/${pool}/delegations?limit=20`;
}
