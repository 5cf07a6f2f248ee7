import { type ApiResponse, ok, type Route } from '../route.ts';
import type { World } from '../world.ts';

/** Micro-STX that blocks up to a height have made, and not destroyed (docs/spec/supply.md#what-counts). */
export function supplyAt({ txs, blocks }: World, height: number): bigint {
  const events = txs.filter(({ block }) => block.height <= height).flatMap(tx => tx.events);
  const sumOf = (type: string) =>
    events.filter(event => event.type === type).reduce((sum, event) => sum + BigInt(event[type].amount), 0n);
  const rewards = blocks
    .filter(block => block.height <= height)
    .flatMap(({ payload }) => payload.matured_miner_rewards);
  const coinbases = rewards.reduce((sum, { coinbase_amount }) => sum + BigInt(coinbase_amount), 0n);
  return sumOf('stx_mint_event') - sumOf('stx_burn_event') + coinbases;
}

function heightOf({ blocks }: World, query: URLSearchParams): number {
  if (query.has('height')) return Number(query.get('height'));
  return blocks.length + (query.get('unanchored') === 'true' ? 1 : 0);
}

/** Six decimals. */
function stx(micro: bigint): string {
  const digits = String(micro < 0n ? -micro : micro).padStart(7, '0');
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** A comma between thousands. */
const commas = (text: string): string => {
  const [whole = '', decimals] = text.split('.');
  let rest = whole.replace('-', '');
  const parts: string[] = [];
  for (; rest.length > 3; rest = rest.slice(0, -3)) parts.unshift(rest.slice(-3));
  return `${whole.startsWith('-') ? '-' : ''}${[rest, ...parts].join(',')}.${decimals}`;
};

const FUTURE = '2318000000.000000';
const percent = (supply: bigint): string => (supply === 0n ? 'NaN' : '100.00');

/** getStxSupplyV1. */
function supply(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const height = heightOf(world, query);
  const total = supplyAt(world, height);
  return ok({
    unlocked_percent: percent(total),
    total_stx: stx(total),
    total_stx_year_2050: FUTURE,
    unlocked_stx: stx(total),
    block_height: height,
  });
}

/** getTotalStxSupplyLegacyFormatV1. */
function legacy(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const height = heightOf(world, query);
  const total = supplyAt(world, height);
  return ok({
    unlockedPercent: percent(total),
    totalStacks: stx(total),
    totalStacksFormatted: commas(stx(total)),
    totalStacksYear2050: FUTURE,
    totalStacksYear2050Formatted: '2,318,000,000.000000',
    unlockedSupply: stx(total),
    unlockedSupplyFormatted: commas(stx(total)),
    blockHeight: String(height),
  });
}

/** The plain forms: their text, read as JSON, is a number. */
const plain: Route['respond'] = world => ok(Number(stx(supplyAt(world, world.blocks.length))));

export const supplyRoutes: readonly Route[] = [
  { template: '/extended/v1/stx_supply', respond: supply },
  { template: '/extended/v1/stx_supply/legacy_format', respond: legacy },
  { template: '/extended/v1/stx_supply/total/plain', respond: plain },
  { template: '/extended/v1/stx_supply/circulating/plain', respond: plain },
];
