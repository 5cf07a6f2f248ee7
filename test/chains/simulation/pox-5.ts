import { Cl, type ClarityValue } from '@stacks/transactions';
import { CYCLE, MANAGERS, POX5 } from './cast.ts';
import { type ClarityVm, membersOf } from './vm.ts';

type Event = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, ClarityValue>>;

interface Call {
  readonly from: string;
  readonly contract: string;
  readonly fn: string;
  readonly args: readonly ClarityValue[];
}

/**
 * The prints of calls about staking. The pox-5 of the VM is a draft that gives in its result what the released contract prints, and prints
 * nothing itself; its lock events are the released ones. So the prints are made of results, arguments and the contract's maps; they come
 * before the lock event, as the contract runs before the lock.
 */
export function poxPrints(vm: ClarityVm, { from, contract, fn, args }: Call, result: ClarityValue): Event[] {
  if (result.type !== 'ok') return [];
  // Only a manager can register itself: the call is one of the manager.
  if (MANAGERS.some(manager => manager === contract) && fn === 'register')
    return [printed('register-signer', membersOf(result))];
  if (contract !== POX5) return [];
  if (fn === 'calculate-rewards') return rewardPrints(vm, args[0]);
  if (fn === 'setup-bond') return bondPrints(vm, membersOf(result), args[6]);
  const members = membersFor(vm, fn, Cl.principal(from), args, membersOf(result));
  return members ? [printed(fn, members)] : [];
}

function membersFor(
  vm: ClarityVm,
  fn: string,
  staker: ClarityValue,
  args: readonly ClarityValue[],
  told: Members,
): Members | undefined {
  switch (fn) {
    case 'stake': {
      const { 'num-cycle': cycles = Cl.none(), ...rest } = told;
      return { ...rest, 'num-cycles': cycles };
    }
    case 'stake-update':
      return { ...told, ...chosen(args, { 'old-signer': 1, 'cycles-to-extend': 2, 'amount-increase': 3 }) };
    case 'unstake':
      return { ...told, ...chosen(args, { signer: 0 }) };
    case 'register-for-bond':
      return {
        ...told,
        'sats-total': innerOf(args[3]),
        'is-l1-lock': Cl.bool(false),
        'btc-lockup': Cl.tuple({ type: Cl.stringAscii('l2'), txs: Cl.none() }),
      };
    case 'update-bond-registration':
      return { staker, ...chosen(args, { signer: 0, 'old-signer': 1 }), ...registration(vm, staker, args[0]) };
    case 'unstake-sbtc':
      return { ...told, ...chosen(args, { 'amount-withdrawn-sats': 1 }), 'bond-index': bondOf(vm, staker) };
    case 'grant-signer-key':
      return chosen(args, { 'signer-key': 0, 'signer-manager': 1, 'auth-id': 2 });
    default:
      return undefined;
  }
}

/** A bond and its allowlist, an entry a print. */
function bondPrints(vm: ClarityVm, told: Members, allowlist: ClarityValue = Cl.list([])): Event[] {
  const index = told['bond-index'] ?? Cl.uint(0);
  const of = (fn: string, ...args: ClarityValue[]) => vm.read(POX5, fn, args);
  const first = of('bond-period-to-reward-cycle', index);
  const end = Cl.uint((first.type === 'uint' ? BigInt(first.value) : 0n) + BigInt(BOND.cycles));
  const { 'max-allocation-sats': _, ...terms } = told;
  const schedule = {
    'first-reward-cycle': first,
    'bond-start-height': of('bond-period-to-burn-height', index),
    'unlock-cycle': end,
    'unlock-burn-height': of('reward-cycle-to-unlock-height', end),
  };
  const entries = allowlist.type === 'list' ? allowlist.value.map(membersOf) : [];
  return [
    printed('setup-bond', { ...terms, ...schedule }),
    ...entries.map(entry => printed('add-to-allowlist', { 'bond-index': index, ...entry })),
  ];
}

/** The rates that a distribution leaves: of every bond that it names, and of the cycle. */
function rewardPrints(vm: ClarityVm, bonds: ClarityValue = Cl.list([])): Event[] {
  const rateOf = (isBond: boolean, index: ClarityValue) =>
    vm.read(POX5, 'get-rewards-per-token-for-cycle', [Cl.bool(isBond), index]);
  const cycle = vm.read(POX5, 'burn-height-to-reward-cycle', [vm.read(POX5, 'get-last-reward-compute-height')]);
  const ofBonds = (bonds.type === 'list' ? bonds.value : []).map(bond =>
    printed('bond-distribution', { 'bond-index': bond, 'cumulative-rewards-per-sat': rateOf(true, bond) }),
  );
  const ofCycle = { 'stx-cycle': cycle, 'cumulative-rewards-per-ustx': rateOf(false, cycle) };
  return [...ofBonds, printed('calculate-rewards', ofCycle)];
}

/** Arguments by the names of members and their places. */
const chosen = (args: readonly ClarityValue[], places: Readonly<Record<string, number>>): Members =>
  Object.fromEntries(Object.entries(places).map(([name, place]) => [name, args[place] ?? Cl.none()]));

const innerOf = (value: ClarityValue | undefined): ClarityValue => (value?.type === 'err' ? value.value : Cl.uint(0));

const BOND = { cycles: 12, gap: 2 };

const bondOf = (vm: ClarityVm, staker: ClarityValue): ClarityValue =>
  membersOf(vm.read(POX5, 'get-bond-membership', [staker]))['bond-index'] ?? Cl.uint(0);

/** What the contract holds of a bond registration, from its next cycle on. */
function registration(vm: ClarityVm, staker: ClarityValue, manager: ClarityValue = Cl.none()): Members {
  const membership = membersOf(vm.read(POX5, 'get-bond-membership', [staker]));
  const index = bondOf(vm, staker);
  const starts = CYCLE.first + Number(index.type === 'uint' ? index.value : 0) * BOND.gap;
  const now = vm.read(POX5, 'current-pox-reward-cycle');
  const first = Math.max(starts, Number(now.type === 'uint' ? now.value : 0) + 1);
  return {
    'bond-index': index,
    'amount-ustx': membership['amount-ustx'] ?? Cl.uint(0),
    'amount-sats': vm.read(POX5, 'get-staker-shares-staked-for-cycle', [staker, Cl.bool(true), index, manager]),
    'first-reward-cycle': Cl.uint(first),
    'num-cycles': Cl.uint(starts + BOND.cycles - first),
    'is-l1-lock': Cl.bool(false),
  };
}

function printed(topic: string, members: Members): Event {
  const value = Cl.tuple({ topic: Cl.stringAscii(topic), ...members });
  const raw_value = `0x${Cl.serialize(value)}`;
  return {
    type: 'contract_event',
    contract_event: { contract_identifier: POX5, topic: 'print', raw_value },
  };
}
