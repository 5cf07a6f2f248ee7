import { accountOf, lockVersionOf } from '../../accounts.ts';
import { feeOf, payerOf } from '../../mempool.ts';
import { assetOf, principalOf } from '../../principals.ts';
import { clarity } from '../../records/transaction.ts';
import { position, summaryRecord, waitingRecord } from '../../records/v3-transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../../route.ts';
import type { MempoolTx, Payload, Tx, World } from '../../world.ts';
import { movesOf, takesPart } from '../address-transactions.ts';
import { tokensOf } from '../balances.ts';
import { usedBy } from '../nonces.ts';
import { cursorPage, placeCursors } from './page.ts';
import { minedBy, rewardRecord } from './rewards.ts';
import { distinctIds, summariesPage } from './transactions.ts';

/** Of a principal that is one. */
const of =
  (
    respond: (
      world: World,
      principal: string,
      query: URLSearchParams,
      params: Readonly<Record<string, string>>,
    ) => ApiResponse,
  ): Route['respond'] =>
  (world, params, query) => {
    const principal = principalOf(params.principal ?? '');
    return principal === undefined ? failed(400) : respond(world, principal, query, params);
  };

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Whether a transaction locks the STX of a principal. */
const locks = (tx: Tx, principal: string): boolean =>
  tx.events.some(event => event.stx_lock_event?.locked_address === principal);

/** getPrincipalTransactionsV3 */
const transactions = of((world, principal, query) => {
  const served = (tx: Tx) => {
    const { origin, sponsor, payload } = tx.decoded;
    const moves = movesOf(tx, principal);
    const isTouched = (asset: string): boolean => moves.some(move => move.asset === asset);
    const stx = (role: string) =>
      sum(
        moves
          .filter(({ asset, data }) => asset === 'stx' && data[role] === principal)
          .map(({ data }) => BigInt(data.amount)),
      );
    const paid = payerOf(tx.decoded) === principal;
    const sent = stx('sender') + (paid ? feeOf(tx.decoded) : 0n);
    const received = stx('recipient');
    const receives = payload.kind === 'token_transfer' && payload.recipient === principal;
    return {
      transaction: summaryRecord(tx),
      involvement: origin.address === principal ? 'sender' : sponsor?.address === principal ? 'sponsor' : 'affected',
      balance_changes: { stx: { sent: String(sent), received: String(received), net: String(received - sent) } },
      affected_balances: { stx: paid || receives || isTouched('stx'), ft: isTouched('ft'), nft: isTouched('nft') },
    };
  };
  return ok(
    summariesPage(
      world,
      world.txs.filter(tx => takesPart(tx, principal) || locks(tx, principal)),
      query,
      served,
    ),
  );
});

const TYPES = ['stx', 'ft', 'nft'];

/** What a transaction moved, by asset: STX, fungible tokens, others; each by name. */
function changesOf(tx: Tx, principal: string) {
  const assets = new Map<string, { type: number; asset: string; sent: bigint; received: bigint }>();
  const add = (type: number, asset: string, sent: bigint, received: bigint) => {
    const before = assets.get(`${type}${asset}`) ?? { type, asset, sent: 0n, received: 0n };
    assets.set(`${type}${asset}`, { ...before, sent: before.sent + sent, received: before.received + received });
  };
  if (payerOf(tx.decoded) === principal && feeOf(tx.decoded) > 0n) add(1, 'stx', feeOf(tx.decoded), 0n);
  for (const { asset, data } of movesOf(tx, principal)) {
    const amount = asset === 'nft' ? 1n : BigInt(data.amount);
    add(
      TYPES.indexOf(asset) + 1,
      asset === 'stx' ? 'stx' : data.asset_identifier,
      data.sender === principal ? amount : 0n,
      data.recipient === principal ? amount : 0n,
    );
  }
  return [...assets.values()].sort((a, b) => a.type - b.type || (a.asset < b.asset ? -1 : 1));
}

const changeRecord = ({ type, asset, sent, received }: ReturnType<typeof changesOf>[number]) => ({
  asset: { type: TYPES[type - 1], ...(type > 1 && { identifier: asset }) },
  balance_change: { sent: String(sent), received: String(received), net: String(received - sent) },
});

const hashOf = (id: string): string => `0x${id.replace(/^0x/, '').toLowerCase()}`;

/** getPrincipalTransactionBalanceChangesV3. The cursor is one of a row. */
const changesOfOne = of((world, principal, query, { id = '' }) => {
  const tx = world.txs.findLast(({ txId }) => txId === hashOf(id));
  const rows = tx ? changesOf(tx, principal) : [];
  const [type = '0', asset = ''] = query.get('cursor')?.split(/:(.*)/s) ?? [];
  const found = rows.findIndex(row => row.type > Number(type) || (row.type === Number(type) && row.asset >= asset));
  const cursors = rows.map(row => `${row.type}:${row.asset}`);
  return ok(cursorPage(rows, cursors, found < 0 ? rows.length : found, numberOf(query, 'limit', 20), changeRecord));
});

/** getPrincipalBalanceChangesV3 */
const changesOfSeveral = of((world, principal, query) => {
  const ids = distinctIds(query);
  if (!ids) return failed(400);
  const txs = world.txs.filter(({ txId }) => ids.has(txId)).toReversed();
  const places = placeCursors(world, txs);
  const rows = txs.flatMap((tx, i) =>
    changesOf(tx, principal).map(change => ({ ...change, tx_id: tx.txId, place: places[i] ?? '' })),
  );
  const cursors = rows.map(({ place, type, asset }) => `${place}:${type}:${asset}`);
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : cursors.indexOf(cursor);
  return ok(
    cursorPage(rows, cursors, first < 0 ? rows.length : first, numberOf(query, 'limit', 20), row => ({
      tx_id: row.tx_id,
      ...changeRecord(row),
    })),
  );
});

/** getPrincipalBalancesStxV3: a pending fee counts for who pays it. */
const stx = of((world, principal) => {
  const tip = world.blocks.at(-1);
  const account = accountOf(world, principal, tip?.height ?? 0);
  const available = BigInt(account.balance) - BigInt(account.locked);
  const transfers = world.pending.flatMap(({ decoded: { origin, payload } }) =>
    payload.kind === 'token_transfer' ? [{ from: origin.address, to: payload.recipient, amount: payload.amount }] : [],
  );
  const inbound = sum(transfers.filter(({ to }) => to === principal).map(({ amount }) => amount));
  const fees = world.pending
    .filter(({ decoded }) => payerOf(decoded) === principal)
    .map(({ decoded }) => feeOf(decoded));
  const outbound = sum(transfers.filter(({ from }) => from === principal).map(({ amount }) => amount)) + sum(fees);
  return ok({
    balance: account.balance,
    available: String(available),
    locked:
      account.lock_tx_id === ''
        ? null
        : {
            amount: account.locked,
            pox_version: lockVersionOf(world, principal),
            lock_tx_id: account.lock_tx_id,
            stacks_lock_height: account.lock_height,
            burn_lock_height: account.burnchain_lock_height,
            burn_unlock_height: account.burnchain_unlock_height,
          },
    mempool:
      inbound + outbound === 0n
        ? null
        : {
            estimated_balance: String(available + inbound - outbound),
            inbound: String(inbound),
            outbound: String(outbound),
          },
  });
});

/** getPrincipalStxHistoryV3. */
const stxHistory = of((world, principal, query) => {
  const tip = world.blocks.at(-1)?.height ?? 0;
  const txs = world.txs.filter(tx => takesPart(tx, principal) && tx.block.height <= tip);
  const count = Math.min(txs.length, numberOf(query, 'points', 100));
  const chosen = Array.from({ length: count }, (_, i) =>
    txs.at(count === 1 ? -1 : Math.floor((i * (txs.length - 1)) / (count - 1))),
  );
  const balanceAfter = (last: Tx): string => {
    const { txs, blocks } = world;
    const height = last.block.height;
    const until = {
      ...world,
      txs: txs.slice(0, txs.indexOf(last) + 1),
      blocks: blocks.filter(b => b.height <= height),
    };
    return accountOf(until, principal).balance;
  };
  return ok({
    balance: accountOf(world, principal, tip).balance,
    results: chosen.flatMap(tx => (tx ? [{ tx_id: tx.txId, ...position(tx), balance: balanceAfter(tx) }] : [])),
  });
});

/** getMempoolTransactionPositionV3. */
const mempoolPosition: Route['respond'] = (world, { id = '' }) => {
  const { pending, blocks } = world;
  const own = pending.find(({ txId }) => txId === hashOf(id));
  if (!own) return failed(404);
  const rankAmong = (txs: readonly MempoolTx[]) => ({
    rank: txs.filter(tx => feeOf(tx.decoded) > feeOf(own.decoded)).length + 1,
    total: txs.length,
  });
  const received = own.tip ? own.tip.payload.block_time || own.tip.burnTime : own.receiptTime;
  return ok({
    tx_id: own.txId,
    fee: rankAmong(pending),
    fee_of_type: rankAmong(pending.filter(tx => tx.decoded.payload.kind === own.decoded.payload.kind)),
    receipt_time: own.receiptTime,
    blocks_waited: Math.max(0, (blocks.at(-1)?.height ?? 0) - (own.tip?.height ?? 0)),
    forgotten_after: received + 2560 * 60,
  });
};

/** getMempoolTransactionDropV3. */
const mempoolDrop: Route['respond'] = ({ mempool }, { id = '' }) => {
  const own = mempool.find(({ txId }) => txId === hashOf(id));
  if (!own?.status.startsWith('dropped_')) return failed(404);
  return ok({ tx_id: own.txId, status: own.status, time: own.droppedAt, replaced_by: own.replacedBy });
};

const held = (world: World, principal: string) =>
  [...tokensOf(world, principal, world.blocks.at(-1)?.height ?? 0, 'ft')].map(([token, { received, sent }]) => ({
    token,
    balance: received - sent,
  }));

/** getPrincipalBalancesFtV3 */
const fts = of((world, principal, query) => {
  const rows = held(world, principal)
    .filter(({ balance }) => balance > 0n)
    .sort((a, b) => Number(b.balance - a.balance) || (a.token < b.token ? -1 : 1));
  const [balance = '', token = ''] = query.get('cursor')?.split(/:(.*)/s) ?? [];
  const found = query.has('cursor')
    ? rows.findIndex(row => row.balance < BigInt(balance) || (row.balance === BigInt(balance) && row.token >= token))
    : 0;
  const cursors = rows.map(row => `${row.balance}:${row.token}`);
  const served = (row: (typeof rows)[number]) => ({ asset_identifier: row.token, balance: String(row.balance) });
  return ok(cursorPage(rows, cursors, found < 0 ? rows.length : found, numberOf(query, 'limit', 100), served));
});

/** getPrincipalBalanceFtV3 */
const ft = of((world, principal, _query, { token = '' }) => {
  const asset = assetOf(token);
  if (asset === undefined) return failed(400);
  const found = held(world, principal).find(row => row.token === asset);
  return ok({ asset_identifier: asset, balance: String(found?.balance ?? 0n) });
});

/** getPrincipalBalancesNftV3: tokens whose last event names the principal; microblocks on the tip count. */
const nfts = of((world, principal, query) => {
  const last = new Map<string, Payload>();
  for (const tx of world.txs)
    for (const event of tx.events)
      if (/^nft_/.test(event.type)) {
        const data = event[event.type];
        last.set(`${data.asset_identifier} ${data.raw_value.toLowerCase()}`, data);
      }
  const given = query.get('asset_identifier');
  const wanted = given === null ? undefined : assetOf(given);
  const rows = [...last.values()]
    .filter(data => data.recipient === principal)
    .filter(data => given === null || data.asset_identifier === wanted)
    .map(data => ({ asset: data.asset_identifier as string, value: data.raw_value.toLowerCase() as string }))
    .sort((a, b) => compare(a.asset, b.asset) || compare(a.value, b.value));
  const [value = '', asset = ''] = query.get('cursor')?.split(/:(.*)/s) ?? [];
  const found = rows.findIndex(row => row.asset > asset || (row.asset === asset && row.value >= value));
  const cursors = rows.map(row => `${row.value}:${row.asset}`);
  return ok(
    cursorPage(rows, cursors, found < 0 ? rows.length : found, numberOf(query, 'limit', 100), row => ({
      asset_identifier: row.asset,
      value: clarity(row.value),
    })),
  );
});

/** getPrincipalMiningV3 */
const mining = of((world, principal) => {
  const all = minedBy(world, principal);
  const [coinbase, fees] = [sum(all.map(reward => reward.coinbase)), sum(all.map(reward => reward.fees))];
  const sums = { coinbase: String(coinbase), fees: String(fees), total: String(coinbase + fees) };
  return ok({ rewards: { count: all.length, ...sums } });
});

/** getPrincipalMiningRewardsV3 */
const miningRewards = of((world, principal, query) => {
  const rows = minedBy(world, principal).toReversed();
  const [height = 0, place = 0] = query.get('cursor')?.split(':').map(Number) ?? [Infinity, Infinity];
  if (query.has('cursor') && (height > 2147483647 || place > 32767)) return failed(400);
  const found = rows.findIndex(
    ({ block, position }) => block.height < height || (block.height === height && position <= place),
  );
  const cursors = rows.map(({ block, position }) => `${block.height}:${position}`);
  const first = found < 0 ? rows.length : found;
  return ok(cursorPage(rows, cursors, first, numberOf(query, 'limit', 20), row => rewardRecord(world, row)));
});

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** getPrincipalNoncesV3: nonces below the last pending one that are used, and those that are not. */
const nonces = of((world, principal) => {
  if (principal.includes('.')) return failed(400);
  const highest = (numbers: readonly number[]) => (numbers.length === 0 ? null : Math.max(...numbers));
  const confirmed = highest(world.txs.flatMap(tx => usedBy(tx, principal)));
  const waiting = world.pending.flatMap(tx => usedBy(tx, principal));
  const last = highest(waiting);
  const between: number[] = [];
  const start = (confirmed ?? -1) + 1;
  for (let nonce = start; nonce < (last ?? 0) && nonce < start + 200; nonce++) between.unshift(nonce);
  return ok({
    next_nonce: Math.max(confirmed ?? -1, last ?? -1) + 1,
    last_confirmed_nonce: confirmed,
    mempool: {
      last_nonce: last,
      pending_nonces: between.filter(nonce => waiting.includes(nonce)),
      missing_nonces: between.filter(nonce => !waiting.includes(nonce)),
    },
  });
});

/** Pending transactions, the last one received first; of equals the greater id. */
function waitingPage(txs: readonly MempoolTx[], query: URLSearchParams): ApiResponse {
  const rows = txs.toSorted((a, b) => b.receiptTime - a.receiptTime || compare(b.txId, a.txId));
  const [time = '', id = ''] = query.get('cursor')?.split(':') ?? [];
  const found = query.has('cursor')
    ? rows.findIndex(
        row => row.receiptTime < Number(time) || (row.receiptTime === Number(time) && row.txId <= hashOf(id)),
      )
    : 0;
  const cursors = rows.map(row => `${row.receiptTime}:${row.txId}`);
  return ok(cursorPage(rows, cursors, found < 0 ? rows.length : found, numberOf(query, 'limit', 20), waitingRecord));
}

/** getMempoolTransactionsV3 */
const mempool: Route['respond'] = (world, _params, query) => waitingPage(world.pending, query);

/** getPrincipalMempoolTransactionsV3 */
const ownMempool = of((world, principal, query) =>
  waitingPage(
    world.pending.filter(({ decoded: { origin, payload }, decoded }) => {
      const named: string[] = [origin.address, payerOf(decoded)];
      if (payload.kind === 'token_transfer') named.push(payload.recipient);
      if (payload.kind === 'contract_call') named.push(payload.contractId);
      if (payload.kind === 'smart_contract') named.push(`${origin.address}.${payload.name}`);
      return named.includes(principal);
    }),
    query,
  ),
);

const PRINCIPAL = '/extended/v3/principals/{principal}';

export const v3PrincipalRoutes: readonly Route[] = [
  { template: '/extended/v3/mempool/transactions', respond: mempool },
  { template: '/extended/v3/mempool/transactions/{id}/position', respond: mempoolPosition },
  { template: '/extended/v3/mempool/transactions/{id}/drop', respond: mempoolDrop },
  { template: `${PRINCIPAL}/transactions`, respond: transactions },
  { template: `${PRINCIPAL}/transactions/{id}/balance-changes`, respond: changesOfOne },
  { template: `${PRINCIPAL}/balance-changes`, respond: changesOfSeveral },
  { template: `${PRINCIPAL}/balances/stx`, respond: stx },
  { template: `${PRINCIPAL}/balances/stx/history`, respond: stxHistory },
  { template: `${PRINCIPAL}/balances/ft`, respond: fts },
  { template: `${PRINCIPAL}/balances/ft/{token}`, respond: ft },
  { template: `${PRINCIPAL}/balances/nft`, respond: nfts },
  { template: `${PRINCIPAL}/mining`, respond: mining },
  { template: `${PRINCIPAL}/mining/rewards`, respond: miningRewards },
  { template: `${PRINCIPAL}/nonces`, respond: nonces },
  { template: `${PRINCIPAL}/mempool/transactions`, respond: ownMempool },
];
