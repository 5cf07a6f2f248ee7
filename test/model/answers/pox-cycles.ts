import { type PoxEvent, signerKeyToAddress } from '../../../src/codec/index.ts';
import { poxEvents } from '../accounts.ts';
import { failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Payload, World } from '../world.ts';

/** getPoxCycleSigners. */
const signers: Route['answer'] = (world, { cycle = '' }, query) => {
  const records = signersOf(world, Number(cycle));
  if (!records) return failed(404);
  return ok(page(records, numberOf(query, 'limit', 100) || 100, numberOf(query, 'offset', 0), record => record));
};

/** getPoxCycleSigner. */
const signer: Route['answer'] = (world, { cycle = '', key = '' }) => {
  const signing_key = `0x${key.replace(/^0x/i, '').toLowerCase()}`;
  const found = signersOf(world, Number(cycle))?.find(record => record.signing_key === signing_key);
  return found ? ok(found) : failed(404);
};

/** Those of the newest canonical reward set of a cycle, sorted; undefined without one (docs/spec/pox.md#reward-sets). */
function signersOf(world: World, cycle: number) {
  const block = world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === cycle);
  if (!block) return undefined;
  const set: Payload[] = block.payload.reward_set.signers ?? [];
  const weights = set.reduce((sum: number, { weight }) => sum + weight, 0);
  const stacked = set.reduce((sum: bigint, { stacked_amt }) => sum + BigInt(stacked_amt), 0n);
  const isOfPox5 = set.length > 0 && (block.payload.reward_set.pox_ustx_threshold ?? null) === null;
  const { solo, pooled } = isOfPox5 ? { solo: [], pooled: [] } : stackersOf(world, cycle);
  return set
    .map(({ signing_key, weight, stacked_amt }) => ({
      signing_key: `0x${signing_key.replace(/^0x/, '')}`,
      signer_address: signerKeyToAddress(signing_key, world.network),
      weight,
      stacked_amount: String(BigInt(stacked_amt)),
      weight_percent: (weight / weights) * 100,
      stacked_amount_percent: percent(BigInt(stacked_amt), stacked),
      solo_stacker_count: solo.filter(key => key === `0x${signing_key}`).length,
      pooled_stacker_count: pooled.filter(key => key === `0x${signing_key}`).length,
    }))
    .sort(
      (a, b) =>
        b.weight - a.weight ||
        compare(BigInt(b.stacked_amount), BigInt(a.stacked_amount)) ||
        compare(a.signing_key, b.signing_key),
    );
}

const compare = (a: bigint | string, b: bigint | string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The quotient rounded half up to 20 decimal places, times 100. */
function percent(part: bigint, whole: bigint): number {
  const scaled = (2n * part * 10n ** 20n + whole) / (2n * whole);
  return Number(`${scaled}e-18`);
}

/**
 * The signing keys with which stackers have stacked for a cycle, of each the newest operation that has the cycle: alone with
 * their own, in pools with that of the newest commit of the operator for just this cycle.
 */
function stackersOf(world: World, cycle: number) {
  const events = world.txs.flatMap(tx => poxEvents(tx, 4, world.network));
  const commits = newest(events, event => {
    if (event.name !== 'stack-aggregation-commit' && event.name !== 'stack-aggregation-commit-indexed')
      return undefined;
    const { startCycleId, endCycleId, signerKey } = event.data;
    return Number(startCycleId) === cycle && Number(endCycleId) === cycle + 1 ? signerKey : undefined;
  });
  const members = newest(events, event => {
    if (
      event.name !== 'delegate-stack-stx' &&
      event.name !== 'delegate-stack-increase' &&
      event.name !== 'delegate-stack-extend'
    )
      return undefined;
    return covers(event.data, cycle) ? event.data.delegator : undefined;
  });
  const solo = newest(events, event => {
    if (event.name !== 'stack-stx' && event.name !== 'stack-increase' && event.name !== 'stack-extend')
      return undefined;
    return covers(event.data, cycle) ? event.data.signerKey : undefined;
  });
  return { solo: [...solo.values()], pooled: [...members.values()].map(operator => commits.get(operator ?? '')) };
}

/** By stacker, what the last of the events says for which it is not undefined. */
function newest(events: readonly PoxEvent[], said: (event: PoxEvent) => string | null | undefined) {
  const found = new Map<string, string | null>();
  for (const event of events) {
    const value = said(event);
    if (value !== undefined) found.set(event.stacker, value);
  }
  return found;
}

interface Window {
  readonly startCycleId: bigint | null;
  readonly endCycleId: bigint | null;
}

const covers = ({ startCycleId, endCycleId }: Window, cycle: number): boolean =>
  startCycleId !== null && endCycleId !== null && startCycleId <= cycle && cycle < endCycleId;

export const poxCycleRoutes: readonly Route[] = [
  { template: '/extended/v2/pox/cycles/{cycle}/signers', answer: signers },
  { template: '/extended/v2/pox/cycles/{cycle}/signers/{key}', answer: signer },
];
