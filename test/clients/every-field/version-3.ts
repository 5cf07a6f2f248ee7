import { BEGINNING, PLACE, placeIn, tokenOf } from '../../../src/api/live/token.ts';
import { accountAddress } from '../../support/transaction-builder.ts';
import { ANCHORED, type EveryChain, GAPS, NAME, SLOT_HOLDER, WAITING } from './chain.ts';
import { ALONE, BONDED, BONDS, MANAGER, ONCE, PLAIN, SIGNER } from './staking.ts';
import { CONTRACT, deployedBy, FT, NFT, OWNER, RECIPIENT, SPONSOR, TOKEN } from './transactions.ts';

/** All fields of a transaction. */
const WHOLE = 'include=function_args,source_code,post_conditions,result,auth';

/** Requests of version 3 about that chain. */
export function questionsOfVersion3({ blocks, lost, forks, txIds }: EveryChain): string[] {
  const accounts = [OWNER, RECIPIENT, SPONSOR, ANCHORED, WAITING, GAPS].map(accountAddress);
  const all = Object.values(txIds).flat();
  const [txId = ''] = txIds.anchored;
  const [owner] = accounts;
  const topics = [
    ...['block', 'burn-block', `tx:${txId}`, `principal:${owner}`, `balance:${owner}`],
    ...[`contract-log:${CONTRACT}`, `ft:${FT}`, `nft:${NFT}`],
  ].join(',');
  const found = [
    ...txIds.anchored,
    txIds.waiting[0] ?? '',
    ...blocks.flatMap(block => [block.hash, block.burn.hash]),
    ...accounts,
    CONTRACT,
    FT,
  ];
  return [
    ...all.map(id => `transactions/${id}?${WHOLE}`),
    ...txIds.anchored.map(id => `transactions/${id}/events`),
    ...txIds.anchored.map(id => `transactions/batch?tx_id=${id}`),
    ...['transactions', 'mempool/transactions', 'blocks/1/transactions', 'blocks/latest/transactions'],
    'blocks/latest/cells?blocks=50',
    ...['1', 'latest'].map(block => `blocks/${block}/totals`),
    ...['mempool', 'mempool/bands'],
    // A page behind the end.
    'blocks/1/transactions?cursor=0:0:1',
    ...txIds.waiting.map(id => `mempool/transactions/${id}/position`),
    ...txIds.dropped.map(id => `mempool/transactions/${id}/drop`),
    ...['1', '2'].map(block => `blocks/${block}/orphans`),
    ...accounts.map(account => `principals/${account}/nonces`),
    ...[...accounts, ALONE, BONDED, ...ONCE]
      .flatMap(principal => [
        ...['transactions', 'mempool/transactions', 'staking', 'staking/bonds'].map(list => `${principal}/${list}`),
        ...['stx', 'stx/history', 'ft', `ft/${FT}`, 'nft'].map(asset => `${principal}/balances/${asset}`),
        ...['stx/inbound', 'stx/outbound', `ft/${FT}`].map(list => `${principal}/transfers/${list}`),
        ...['mining', 'mining/rewards', 'movements'].map(rest => `${principal}/${rest}`),
        ...[`transactions/${txId}/balance-changes`, `balance-changes?tx_id=${txId}`].map(
          list => `${principal}/${list}`,
        ),
      ])
      .map(rest => `principals/${rest}`),
    ...[
      'stx/supply',
      'stx/holders',
      `ft/${FT}/supply`,
      `ft/${FT}/supply/history`,
      `ft/${FT}/holders`,
      `ft/${FT}/transfers`,
      `ft/${FT}/totals`,
    ].map(path => `tokens/${path}`),
    ...['', `/${NFT}`, `/${NFT}/items`, `/${NFT}/${TOKEN}/history`].map(rest => `tokens/nft${rest}`),
    ...[CONTRACT, deployedBy(ANCHORED, 'success')].map(
      contract => `smart-contracts/${contract}?include=source_code,abi`,
    ),
    ...['twins', 'logs', 'logs/topics'].map(list => `smart-contracts/${CONTRACT}/${list}`),
    ...[CONTRACT, `${CONTRACT}-none`].map(contract => `smart-contracts/${contract}/activity`),
    ...['forks', ...forks.map(({ indexHash }) => `forks/${indexHash}`)],
    ...found.map(text => `search?q=${encodeURIComponent(text)}`),
    ...txIds.waiting.map(id => `search?q=${id}&type=pending_transaction`),
    ...[`${NAME}&type=name`, `${SLOT_HOLDER}&type=bitcoin_address`, 'give&type=function', 'id&type=namespace'].map(
      text => `search?q=${text}`,
    ),
    ...[BEGINNING, placeIn(lost.height, lost.indexHash, PLACE.end, false), { ...BEGINNING, height: 1 }].map(
      place => `stream/events?topics=${topics}&after=${tokenOf(place)}&limit=500`,
    ),
    `names?principal=${accounts.join(',')}`,
    ...[
      '',
      '/rewards',
      '/bonds',
      '/signers',
      '/cycles/current',
      '/cycles/4',
      '/cycles/current/signers',
      '/cycles/7',
      '/cycles/7/signers',
      '/cycles/999999999',
      `/signers/${SIGNER}/cycles`,
    ].map(rest => `staking${rest}`),
    ...[ALONE, BONDED].map(staker => `principals/${staker}/staking/rewards`),
    `staking/cycles/7/signers/${MANAGER}/stakers`,
    ...[MANAGER, PLAIN].flatMap(manager => [`staking/signers/${manager}`, `staking/signers/${manager}/stakers`]),
    ...Object.values(BONDS).flatMap(bond =>
      ['', '/events', '/allowlist', `/allowlist/${BONDED}`, '/registrations', `/registrations/${BONDED}`].map(
        rest => `staking/bonds/${bond}${rest}`,
      ),
    ),
  ].map(path => `/extended/v3/${path}`);
}
