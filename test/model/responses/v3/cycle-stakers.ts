import { principalOf } from '../../principals.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { type Term, termsOf } from '../../staking-prints.ts';
import { cursorPage, firstOf } from './page.ts';
import { selected } from './staking-cycles.ts';

/** getStakingCycleSignerStakersV3: of each staker the newest term that has the cycle decides, unless an `unstake` after it ended it. */
const stakers: Route['respond'] = (world, params, query) => {
  const manager = principalOf(params.principal ?? '');
  if (manager === undefined) return failed(400);
  const cycle = selected(world, params.cycle ?? '');
  if (cycle === undefined) return failed(404);
  const terms = new Map<string, Term>();
  for (const term of termsOf(world)) if (term.first <= cycle && cycle < term.end) terms.set(term.staker, term);
  const all = [...terms.values()]
    .flatMap(term => (term.manager === manager && term.amount !== null ? [{ ...term, amount: term.amount }] : []))
    .sort((a, b) => compare(b.amount, a.amount) || compare(a.staker, b.staker));
  const [amount = '0', staker = ''] = query.get('cursor')?.split(':') ?? [];
  const isFrom = (term: (typeof all)[number]): boolean =>
    term.amount < BigInt(amount) || (term.amount === BigInt(amount) && term.staker >= staker);
  const first = query.get('cursor') === null ? 0 : firstOf(all, isFrom);
  const cursors = all.map(term => `${term.amount}:${term.staker}`);
  return ok(
    cursorPage(all, cursors, first, numberOf(query, 'limit', 100), term => ({
      staker: term.staker,
      types: [term.isInBond ? 'btc' : 'stx'],
      staked_stx: { amount: String(term.amount) },
    })),
  );
};

const compare = (a: bigint | string, b: bigint | string): number => (a < b ? -1 : a > b ? 1 : 0);

export const cycleStakerRoutes: readonly Route[] = [
  { template: '/extended/v3/staking/cycles/{cycle}/signers/{principal}/stakers', respond: stakers },
];
