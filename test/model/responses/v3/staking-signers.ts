import { principalOf } from '../../principals.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { bondsOf, burnTip, endOf, type Stake, stakesOf } from '../../staking.ts';
import { keyIn, numberIn, type Print, principalIn, stakingPrints } from '../../staking-prints.ts';
import type { Block, Payload, World } from '../../world.ts';
import { cursorPage, firstOf } from './page.ts';
import { transactionOf } from './staking-bonds.ts';
import { heightsOf, selected, stakingCycle } from './staking-cycles.ts';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const registrationsOf = (world: World): Print[] =>
  stakingPrints(world).filter(({ topic }) => topic === 'register-signer');

/** By manager the last of these registrations. */
const lastOfEach = (prints: readonly Print[]): Map<string, Print> =>
  new Map(prints.map(print => [principalIn(print, 'signer'), print]));

const manager = (print: Print) => ({ signer: principalIn(print, 'signer'), signer_key: keyIn(print, 'signer-key') });

/** getStakingSignersV3. */
const signers: Route['respond'] = (world, _params, query) => {
  const all = [...lastOfEach(registrationsOf(world)).values()].map(manager).sort((a, b) => byText(a.signer, b.signer));
  const cursors = all.map(({ signer }) => signer);
  const from = query.get('cursor');
  const first = from === null ? 0 : firstOf(cursors, signer => signer >= from);
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 100), record => record));
};

/** getStakingSignerV3. */
const signer: Route['respond'] = (world, params) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const print = lastOfEach(registrationsOf(world)).get(principal);
  return print ? ok({ ...manager(print), transaction: transactionOf(print.tx) }) : failed(404);
};

/** getStakingSignerStakersV3. */
const stakers: Route['respond'] = (world, params, query) => {
  const signer = principalOf(params.principal ?? '');
  if (signer === undefined) return failed(400);
  const from = query.get('cursor');
  const { alone, lastBond } = stakesOf(world);
  const [bonds, tip] = [bondsOf(world), burnTip(world)];
  const isWith = (stake: Stake | undefined): boolean =>
    stake !== undefined && stake.signer === signer && stake.ustx > 0n && stake.until >= tip;
  const isBonded = (staker: string): boolean => {
    const bond = bonds.get(lastBond.get(staker) ?? -1n);
    const position = bond?.positions.get(staker);
    return bond !== undefined && position?.signer === signer && !position.exited && endOf(bond) > tip;
  };
  const all = [...new Set([...alone.keys(), ...lastBond.keys()])]
    .map(staker => ({
      staker,
      types: [...(isWith(alone.get(staker)) ? ['stx'] : []), ...(isBonded(staker) ? ['btc'] : [])],
    }))
    .filter(({ types }) => types.length > 0)
    .sort((a, b) => byText(a.staker, b.staker));
  const cursors = all.map(({ staker }) => staker);
  const first = from === null ? 0 : firstOf(cursors, staker => staker >= from);
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 100), record => record));
};

/** getStakingCycleSignersV3. */
const cycleSigners: Route['respond'] = (world, { cycle = '' }, query) => {
  const number = selected(world, cycle);
  const anchorOf = (wanted: number) =>
    world.blocks.findLast(({ payload }) => payload.reward_set && payload.cycle_number === wanted);
  const anchor = number === undefined ? undefined : anchorOf(number);
  if (number === undefined || !anchor) return failed(404);
  const end = anchorOf(number + 1)?.height ?? Number.POSITIVE_INFINITY;
  const all = signersIn(anchor).sort((a, b) => b.weight - a.weight || byText(a.key, b.key));
  const cursors = all.map(({ key }) => key);
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : cursors.indexOf(`0x${cursor.replace(/^0x/, '').toLowerCase()}`);
  if (first < 0) return failed(404);
  const weights = all.reduce((total, { weight }) => total + weight, 0);
  const amounts = Number(all.reduce((total, { amount }) => total + amount, 0n));
  const registrations = registrationsOf(world);
  const before = lastOfEach(registrations.filter(({ tx }) => tx.block.height < anchor.height));
  const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
  return ok(
    cursorPage(all, cursors, first, numberOf(query, 'limit', 100), ({ key, weight, amount }) => ({
      signing_key: key,
      weight: { amount: weight, percent: percent(weight, weights) },
      staked_stx: { amount: String(amount), percent: percent(Number(amount), amounts) },
      signer_managers: [...before.values()]
        .filter(print => keyIn(print, 'signer-key') === key)
        .sort((a, b) => byText(principalIn(a, 'signer'), principalIn(b, 'signer')))
        .map(print => {
          const name = principalIn(print, 'signer');
          const granted = grantsOf(world, name, end);
          const newest = lastOfEach(registrations.filter(({ tx }) => tx.block.height < end)).get(name);
          const isPending =
            newest && newest.tx.block.height >= anchor.height && keyIn(newest, 'signer-key') !== key
              ? newest
              : undefined;
          return {
            signer_manager: name,
            registered_at: {
              block_height: print.tx.block.height,
              bitcoin_block_height: print.tx.block.burnHeight,
              tx_id: print.tx.txId,
            },
            granted_keys: granted,
            grant_active: granted.some(({ signer_key }) => signer_key === key),
            pending_key_update: isPending
              ? { signer_key: keyIn(isPending, 'signer-key'), effective_cycle: number + 1, tx_id: isPending.tx.txId }
              : null,
          };
        }),
    })),
  );
};

/** The newest canonical block with a reward set of each cycle, the highest cycle first. */
function rewardSets({ blocks }: World): [number, Block][] {
  const sets = new Map<number, Block>();
  for (const block of blocks) if (block.payload.reward_set) sets.set(block.payload.cycle_number, block);
  return [...sets].sort(([a], [b]) => b - a);
}

const signersIn = ({ payload }: Block): { key: string; weight: number; amount: bigint }[] =>
  (payload.reward_set.signers ?? []).map(({ signing_key, weight, stacked_amt }: Payload) => ({
    key: `0x${signing_key.replace(/^0x/, '')}`,
    weight,
    amount: BigInt(stacked_amt),
  }));

/** getStakingSignerCyclesV3. */
const signerCycles: Route['respond'] = (world, params, query) => {
  const key = `0x${(params.principal ?? '').replace(/^0x/, '').toLowerCase()}`;
  const signed = rewardSets(world).flatMap(([number, set]) => {
    const signers = signersIn(set);
    const signer = signers.find(each => each.key === key);
    return signer ? [{ number, signer, signers }] : [];
  });
  const cursors = signed.map(({ number }) => String(number));
  const cursor = query.get('cursor');
  const first = cursor === null ? 0 : firstOf(signed, ({ number }) => number <= Number(cursor));
  const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);
  return ok(
    cursorPage(signed, cursors, first, numberOf(query, 'limit', 20), ({ number, signer, signers }) => ({
      cycle_number: number,
      heights: heightsOf(world, number),
      weight: {
        amount: signer.weight,
        percent: percent(
          signer.weight,
          signers.reduce((total, { weight }) => total + weight, 0),
        ),
      },
      staked_stx: {
        amount: String(signer.amount),
        percent: percent(Number(signer.amount), Number(signers.reduce((total, { amount }) => total + amount, 0n))),
      },
    })),
  );
};

/** The keys that a manager is granted below a height, by key. */
function grantsOf(world: World, name: string, end: number) {
  const newest = new Map<string, Print>();
  for (const print of stakingPrints(world))
    if (
      /^(grant-signer-key|revoke-signer-grant)$/.test(print.topic) &&
      principalIn(print, 'signer-manager') === name &&
      print.tx.block.height < end
    )
      newest.set(keyIn(print, 'signer-key'), print);
  return [...newest]
    .filter(([, { topic }]) => topic === 'grant-signer-key')
    .sort(([a], [b]) => byText(a, b))
    .map(([signer_key, print]) => ({
      signer_key,
      auth_id: String(numberIn(print, 'auth-id')),
      tx_id: print.tx.txId,
    }));
}

export const stakingSignerRoutes: readonly Route[] = [
  { template: '/extended/v3/staking/signers', respond: signers },
  { template: '/extended/v3/staking/signers/{principal}', respond: signer },
  { template: '/extended/v3/staking/signers/{principal}/stakers', respond: stakers },
  { template: '/extended/v3/staking/signers/{principal}/cycles', respond: signerCycles },
  { template: '/extended/v3/staking/cycles/{cycle}', respond: stakingCycle },
  { template: '/extended/v3/staking/cycles/{cycle}/signers', respond: cycleSigners },
];
