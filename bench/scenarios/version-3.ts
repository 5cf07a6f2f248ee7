import type { Entities } from '../entities.ts';
import { cold, namesOf, type Scenario, scenario } from './scenario.ts';

const V3 = '/extended/v3';

/** Routes of version 3 about blocks, transactions, the mempool and principals. */
export function version3Scenarios(entities: Entities): Scenario[] {
  const { blocks, height, orphans, transactions } = entities;
  const busy = namesOf(entities.principals.busy);
  const own = (path: string) => busy.map(principal => `${V3}/principals/${principal}/${path}`);
  const addresses = busy.filter(principal => !principal.includes('.'));
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  return [
    scenario('getTransactions newest, hot', [`${V3}/transactions?limit=20`]),
    cold(
      'getTransactions deep page',
      Array.from({ length: 100 }, (_, i) => `${V3}/transactions?cursor=${1 + Math.floor((height * i) / 200)}:0:0`),
    ),
    scenario(
      'getBlockTransactions',
      filled.map(block => `${V3}/blocks/${block.height}/transactions`),
    ),
    scenario(
      'getBlockCells of 30 blocks',
      filled.map(block => `${V3}/blocks/${block.height}/cells?blocks=30`),
    ),
    scenario(
      'getTransaction',
      transactions.map(({ id }) => `${V3}/transactions/${id}`),
    ),
    scenario(
      'getTransactionEvents',
      transactions.map(({ id }) => `${V3}/transactions/${id}/events`),
    ),
    scenario('getForks', [`${V3}/forks`]),
    scenario(
      'getFork',
      orphans.map(block => `${V3}/forks/${block}`),
    ),
    scenario('getStreamEvents newest', [`${V3}/stream/events?topics=block&after=0.0000000000.4`]),
    scenario('getMempoolBands, hot', [`${V3}/mempool/bands`]),
    scenario('getMempoolTransactions, hot', [`${V3}/mempool/transactions`]),
    scenario('getPrincipalTransactions busy principal', own('transactions')),
    scenario(
      'getPrincipalTransactions busy principal, deep page',
      own(`transactions?cursor=${Math.ceil(height / 2)}:0:0`),
    ),
    scenario(
      'getPrincipalTransactionBalanceChanges of the sender',
      transactions.map(({ id, sender }) => `${V3}/principals/${sender}/transactions/${id}/balance-changes`),
    ),
    scenario(
      'getPrincipalBalanceChanges of the sender',
      transactions.map(({ id, sender }) => `${V3}/principals/${sender}/balance-changes?tx_id=${id}`),
    ),
    scenario('getPrincipalBalancesStx', own('balances/stx')),
    scenario('getPrincipalStxHistory', own('balances/stx/history')),
    scenario('getPrincipalBalancesFt', own('balances/ft')),
    scenario('getPrincipalBalanceFt', own(`balances/ft/${encodeURIComponent(`${addresses[0] ?? ''}.none::none`)}`)),
    scenario('getPrincipalBalancesNft', own('balances/nft')),
    scenario(
      'getPrincipalNonces',
      addresses.map(principal => `${V3}/principals/${principal}/nonces`),
    ),
    scenario('getPrincipalMempoolTransactions', own('mempool/transactions')),
  ];
}
