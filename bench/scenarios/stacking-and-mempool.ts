import type { Entities } from '../entities.ts';
import { cold, deepPages, namesOf, type Scenario, scenario, withQuery } from './scenario.ts';

const MEMPOOL = '/extended/v1/tx/mempool?limit=20';

/** Stacking: E7, E8, E15; what is pending: E5, E19. */
export function stackingAndMempoolScenarios({ cycles, pools, pending, height }: Entities): Scenario[] {
  const signersOf = (cycle: number) => `/extended/v2/pox/cycles/${cycle}/signers`;
  const senders = pending.map(({ sender }) => sender);
  const recipients = pending.flatMap(({ recipient }) => recipient ?? []);
  return [
    scenario('E5 fee priorities, hot', ['/extended/v2/mempool/fees']),
    cold('E5 fee priorities, cold', ['/extended/v2/mempool/fees']),
    scenario(
      'E7 signers of a cycle',
      cycles.map(({ cycle }) => `${signersOf(cycle)}?limit=20`),
    ),
    scenario(
      'E15 signer of a cycle',
      cycles.flatMap(({ cycle, signers }) => signers.map(key => `${signersOf(cycle)}/${key}`)),
    ),
    scenario('E8 delegations to a pool', namesOf(pools.quiet).map(delegationsTo)),
    scenario('E8 busy pool, deep page', deepPages(pools.busy, delegationsTo)),
    scenario(
      'E8 delegations up to a height',
      namesOf(pools.busy).map(name => withQuery(delegationsTo(name), `height=${Math.ceil(height / 2)}`)),
    ),
    scenario('E19 mempool, hot', [MEMPOOL]),
    cold('E19 mempool, cold', [MEMPOOL]),
    cold('E19 mempool, second page', [`${MEMPOOL}&offset=20`]),
    cold('E19 by fee', [`${MEMPOOL}&order_by=fee`]),
    cold('E19 by size, smallest first', [`${MEMPOOL}&order_by=size&order=asc`]),
    cold(
      'E19 of a sender',
      senders.map(sender => `${MEMPOOL}&sender_address=${sender}`),
    ),
    cold(
      'E19 of a recipient',
      recipients.map(recipient => `${MEMPOOL}&recipient_address=${recipient}`),
    ),
    cold(
      'E19 of an address',
      senders.map(address => `${MEMPOOL}&address=${address}`),
    ),
  ];
}

/** @param name of its list: `pox-4 POOL` */
function delegationsTo(name: string): string {
  const [contract = '', pool = ''] = name.split(' ');
  return `/extended/v1/${contract.replace('-', '')}/${pool}/delegations?limit=20`;
}
