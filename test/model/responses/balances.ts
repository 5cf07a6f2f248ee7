import { accountOf, txsUpTo } from '../accounts.ts';
import { payerOf } from '../mempool.ts';
import { principalOf } from '../principals.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { World } from '../world.ts';
import { highest } from './blocks.ts';

/** The height of a request; a status if it names no height (docs/spec/addresses.md#moments). */
export function heightAsked({ blocks, others }: World, query: URLSearchParams): number | { readonly status: number } {
  const until = query.get('until_block');
  const unanchored = query.get('unanchored') === 'true';
  if (until !== null && unanchored) return { status: 400 };
  const tip = blocks.at(-1)?.height ?? 0;
  if (!until) return unanchored ? tip + 1 : tip;
  if (/^0x([0-9a-f]{2})+$/i.test(until)) {
    const isMeant = ({ hash }: { hash: string }): boolean => hash === until.toLowerCase();
    return (blocks.find(isMeant) ?? highest(others.filter(isMeant)))?.height ?? { status: 404 };
  }
  const height = Number.parseInt(until, 10);
  return height > 0 ? height : { status: 400 };
}

/** What is pending is left out of balances at a block. */
function stxOf(world: World, principal: string, height: number, query: URLSearchParams): unknown {
  const account = accountOf(world, principal, height);
  if (!query.has('until_block')) return account;
  const { estimated_balance, pending_balance_inbound, pending_balance_outbound, ...rest } = account;
  return rest;
}

/** Received, sent and what is left, by asset identifier; an NFT counts one. */
export function tokensOf(world: World, principal: string, height: number, kind: 'ft' | 'nft') {
  const sums = new Map<string, { received: bigint; sent: bigint }>();
  for (const { events } of txsUpTo(world, height)) {
    for (const event of events) {
      if (!event.type.startsWith(`${kind}_`)) continue;
      const { asset_identifier: asset, sender, recipient, amount = 1 } = event[event.type];
      const sum = sums.get(asset) ?? { received: 0n, sent: 0n };
      if (sender === principal) sum.sent += BigInt(amount);
      if (recipient === principal) sum.received += BigInt(amount);
      if (sender === principal || recipient === principal) sums.set(asset, sum);
    }
  }
  return sums;
}

function balances(world: World, principal: string, height: number, query: URLSearchParams): unknown {
  const shown = (kind: 'ft' | 'nft', left: string) =>
    Object.fromEntries(
      [...tokensOf(world, principal, height, kind)].map(([asset, { received, sent }]) => [
        asset,
        { [left]: String(received - sent), total_sent: String(sent), total_received: String(received) },
      ]),
    );
  return {
    stx: stxOf(world, principal, height, query),
    fungible_tokens: shown('ft', 'balance'),
    non_fungible_tokens: shown('nft', 'count'),
  };
}

const atHeight =
  (body: typeof balances): Route['respond'] =>
  (world, params, query): ApiResponse => {
    const principal = principalOf(params.principal ?? '');
    if (principal === undefined) return failed(400);
    const height = heightAsked(world, query);
    return typeof height === 'number' ? ok(body(world, principal, height, query)) : failed(height.status);
  };

/** At the tip (docs/spec/addresses.md#balances-at-the-tip). */
const stxAtTip: Route['respond'] = (world, params, query) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const tip = world.blocks.at(-1);
  const {
    total_sent: _,
    total_received: __,
    total_fees_sent: ___,
    ...account
  } = accountOf(world, principal, tip?.height ?? 0);
  const { estimated_balance, pending_balance_inbound, pending_balance_outbound, ...rest } = account;
  return ok(query.get('include_mempool') === 'true' ? account : rest);
};

const tipOf = ({ blocks }: World): number => blocks.at(-1)?.height ?? 0;

const ftsOf = (world: World, principal: string) =>
  [...tokensOf(world, principal, tipOf(world), 'ft')].map(([token, { received, sent }]) => ({
    token,
    balance: received - sent,
  }));

const byLowerCase = (a: { readonly token: string }, b: { readonly token: string }): number =>
  Buffer.compare(Buffer.from(a.token.toLowerCase()), Buffer.from(b.token.toLowerCase()));

/** Those of which something is left. */
const ftList: Route['respond'] = (world, params, query) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const held = ftsOf(world, principal).filter(({ balance }) => balance > 0n);
  return ok(
    page(held.sort(byLowerCase), numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), row => ({
      ...row,
      balance: String(row.balance),
    })),
  );
};

const ftBalance: Route['respond'] = (world, { principal: text = '', token = '' }) => {
  const principal = principalOf(text);
  if (principal === undefined) return failed(400);
  const height = world.blocks.at(-1)?.height ?? 0;
  if (token === 'stx') return ok({ balance: accountOf(world, principal, height).balance });
  const { received, sent } = tokensOf(world, principal, height, 'ft').get(token) ?? { received: 0n, sent: 0n };
  return ok({ balance: String(received - sent) });
};

/**
 * Every principal in an event of the token; for STX also every payer of a fee, be it zero, and every recipient of a
 * reward.
 */
function partiesOf(world: World, token: string): Set<string> {
  const isStx = token === 'stx';
  const txs = txsUpTo(world, tipOf(world));
  const moves = txs.flatMap(({ events }) =>
    events
      .filter(({ type }) => type.startsWith(isStx ? 'stx_' : 'ft_') && type !== 'stx_lock_event')
      .map(event => event[event.type])
      .filter(move => isStx || move.asset_identifier === token),
  );
  const rewards = world.blocks.flatMap(({ payload }) => payload.matured_miner_rewards);
  return new Set([
    ...moves.flatMap(({ sender, recipient }) => [sender, recipient].filter(Boolean)),
    ...(isStx ? txs.map(tx => payerOf(tx.decoded)) : []),
    ...(isStx ? rewards.map(({ recipient }) => recipient) : []),
  ]);
}

/** The richest first, then by address. */
export function holdersOf(world: World, token: string) {
  const all = [...partiesOf(world, token)].map(address => ({
    address,
    balance:
      token === 'stx'
        ? BigInt(accountOf(world, address, tipOf(world)).balance)
        : (ftsOf(world, address).find(row => row.token === token)?.balance ?? 0n),
  }));
  return all.sort((a, b) => Number(b.balance - a.balance) || (a.address < b.address ? -1 : 1));
}

/** getFtHoldersV1. */
const holders: Route['respond'] = (world, { token = '' }, query) => {
  const all = holdersOf(world, token);
  const body = page(all, numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), row => ({
    ...row,
    balance: String(row.balance),
  }));
  return ok({ ...(body as object), total_supply: String(all.reduce((sum, row) => sum + row.balance, 0n)) });
};

export const balanceRoutes: readonly Route[] = [
  { template: '/extended/v1/address/{principal}/stx', respond: atHeight(stxOf) },
  { template: '/extended/v1/address/{principal}/balances', respond: atHeight(balances) },
  { template: '/extended/v2/addresses/{principal}/balances/stx', respond: stxAtTip },
  { template: '/extended/v2/addresses/{principal}/balances/ft', respond: ftList },
  { template: '/extended/v2/addresses/{principal}/balances/ft/{token}', respond: ftBalance },
  { template: '/extended/v1/tokens/ft/{token}/holders', respond: holders },
];
