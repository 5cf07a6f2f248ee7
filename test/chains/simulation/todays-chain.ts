import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPublicKey, signAsync } from '@noble/secp256k1';
import { Cl, type ClarityValue } from '@stacks/transactions';
import type { Delivery } from '../../../src/ingest/journal/entries.ts';
import { BNS, BNS_V2 } from '../../support/sample-names.ts';
import {
  ACCOUNTS,
  ADMIN,
  ANN,
  BNS_DEPLOYER,
  BOB,
  CAI,
  CYCLES,
  DEE,
  DEPLOYER,
  EVE,
  LABELS,
  MANAGERS,
  NAMESPACE,
  POX5,
  SBTC,
  TOKENS,
} from './cast.ts';
import { keyOf, type Placed, SimulatedChain } from './chain.ts';
import { call, type Operation } from './operations.ts';
import { type ClarityVm, type Holding, membersOf, unwrapped } from './vm.ts';

/** What the VM holds when the chain has ended: what an index must show. */
export interface AtTheEnd {
  readonly tip: string;
  readonly burnHeight: number;
  readonly accounts: Readonly<Record<string, Holding & { readonly sats: string }>>;
  /** By owner, sorted: of version 2, and of version 1 where version 2 has no token for the name. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** How many stake with each key (0x hex), by cycle. */
  readonly stakers: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface TodaysChain {
  readonly deliveries: readonly Delivery[];
  readonly atTheEnd: AtTheEnd;
}

export const contract = (file: string): string => readFileSync(join(import.meta.dirname, 'contracts', file), 'utf8');

export const [FIRST, SECOND] = ['first', 'second'].map(name => Cl.contractPrincipal(DEPLOYER, name)) as [
  ClarityValue,
  ClarityValue,
];
const FUNDS = new Map(ACCOUNTS.map(account => [account, { stx: 2_000_000_000_000, sats: 1_000_000 }]));

const STX = 1_000_000;
const { uint, none, principal, bufferFromAscii: text } = Cl;
export const stake = (from: string, manager: ClarityValue, amount: number, cycles: number, now: number): Operation =>
  call(from, POX5, 'stake', manager, uint(amount * STX), uint(cycles), uint(now), none());
const update = (from: string, to: ClarityValue, old: ClarityValue, cycles: number, more: number): Operation =>
  call(from, POX5, 'stake-update', to, old, uint(cycles), uint(more * STX), none());
const unstake = (from: string, manager: ClarityValue): Operation => call(from, POX5, 'unstake', manager);
const pay = (from: string, to: string, amount: number): Operation => ({ kind: 'transfer', from, to, amount });
const named = (from: string, fn: string, ...args: ClarityValue[]): Operation => call(from, BNS_V2, fn, ...args);
const SPACE = text(NAMESPACE);

/** Proof of the key of a manager: 32 times one byte is the secret key. */
export async function grant(vm: ClarityVm, manager: ClarityValue, secret: number): Promise<Operation> {
  const key = new Uint8Array(32).fill(secret);
  const hash = vm.read(POX5, 'get-signer-grant-message-hash', [manager, uint(1)]);
  if (hash.type !== 'buffer') throw new Error('no hash to sign');
  const signature = await signAsync(Buffer.from(hash.value, 'hex'), key, { prehash: false, format: 'recovered' });
  const last = Buffer.concat([signature.slice(1), signature.slice(0, 1)]);
  return call(DEPLOYER, POX5, 'grant-signer-key', publicKey(secret), manager, uint(1), Cl.buffer(last));
}

export const publicKey = (secret: number): ClarityValue =>
  Cl.buffer(getPublicKey(new Uint8Array(32).fill(secret), true));

/** Makes a chain of epoch 4.0: PoX 5, names of both versions, tenure extends, forks of Bitcoin below them, skipped transactions. */
export async function makeTodaysChain(): Promise<TodaysChain> {
  const chain = new SimulatedChain(FUNDS, ADMIN, MANAGERS);
  const before = await chain.vmAt(undefined);
  const grants = [await grant(before, FIRST, 7), await grant(before, SECOND, 8)];

  // Burn heights 100 and 101, cycle 10: contracts, managers, names of version 1.
  const b100 = chain.burn();
  await chain.block(
    [
      { kind: 'deploy', from: DEPLOYER, contract: 'first', source: contract('signer-manager.clar') },
      { kind: 'deploy', from: DEPLOYER, contract: 'second', source: contract('signer-manager.clar') },
      { kind: 'deploy', from: BNS_DEPLOYER, contract: 'BNS-V2', source: contract('bns-v2.clar') },
      ...grants,
      call(DEPLOYER, MANAGERS[0], 'register', FIRST, publicKey(7)),
      call(DEPLOYER, MANAGERS[1], 'register', SECOND, publicKey(8)),
      call(ANN, MANAGERS[1], 'register', SECOND, publicKey(9)),
    ],
    { elected: b100 },
  );
  await chain.block([...namespace(), imported('alice', ANN), imported('bruno', BOB), imported('carla', CAI)]);
  const b101 = chain.burn(b100);
  await chain.block([ready(), stake(ANN, FIRST, 60_000, 3, 101), stake(BOB, SECOND, 150_000, 2, 101)], {
    elected: b101,
  });
  await chain.block([
    named(BNS_DEPLOYER, 'airdrop', uint(1), text('alice'), SPACE, principal(ANN)),
    named(BOB, 'register', uint(2), text('bea'), SPACE),
    { ...pay(CAI, EVE, 7), skipped: true },
    stake(CAI, FIRST, 3_000_000, 1, 101),
    setUpBond(500),
  ]);
  const b102 = chain.burn(b101);
  // A tenure extend without a new burn block, then one with it.
  await chain.block([update(ANN, FIRST, FIRST, 1, 10_000)], { view: b101 });
  await chain.block([pay(DEE, ANN, 5 * STX), register(DEE, FIRST, 70_000, 4_000)], { view: b102 });

  // Bitcoin drops burn blocks 103 and 104 below tenure extends: an unstake and two names go with them.
  const b103 = chain.burn(b102);
  const before103 = await chain.block([pay(EVE, CAI, 11)], { elected: b103 });
  const b104 = chain.burn(b103);
  await chain.block([unstake(BOB, SECOND), named(BOB, 'burn', uint(2))], { view: b104 });
  await chain.block([named(ANN, 'transfer', uint(1), principal(ANN), principal(EVE)), pay(ANN, EVE, 13)]);
  const c104 = chain.burn(b103);
  const c105 = chain.burn(c104);
  await chain.block(
    [named(ANN, 'transfer', uint(1), principal(ANN), principal(BOB)), update(BOB, FIRST, SECOND, 0, 1_000)],
    { on: before103, view: c105 },
  );
  await chain.block([
    call(ANN, BNS, 'name-transfer', SPACE, text('alice'), principal(DEE), none()),
    call(BOB, BNS, 'name-transfer', SPACE, text('bruno'), principal(EVE), none()),
    named(BOB, 'renew', uint(2)),
  ]);

  // Two tenures at one height: the later elected wins, and what the other did is undone.
  const b106 = chain.burn(c105);
  const fork = await chain.block([pay(EVE, ANN, 17)], { elected: b106 });
  const b107 = chain.burn(b106);
  const b108 = chain.burn(b107);
  await chain.block([stake(EVE, FIRST, 51_000, 2, 107)], { on: fork, elected: b107 });
  await chain.block([stake(EVE, SECOND, 52_000, 2, 108)], { on: fork, elected: b108, rewardsOf: 11 });
  // A late sibling of the same tenure changes nothing.
  const top = await chain.block([pay(EVE, ANN, 19)]);
  await chain.block([pay(EVE, ANN, 23)], { on: fork, elected: b108 });

  // Cycle 11, burn heights 110 to 119.
  let burn = b108;
  for (let height = 109; height <= 110; height++) burn = chain.burn(burn);
  await chain.block([register(DEE, FIRST, 80_000, 9_000), pay(CAI, DEE, 29)], { on: top, elected: burn });
  await chain.block([
    named(CAI, 'mint-nameless', uint(9)),
    call(DEE, POX5, 'update-bond-registration', SECOND, FIRST, none()),
    call(DEE, POX5, 'unstake-sbtc', SECOND, uint(1_500)),
    unstake(EVE, FIRST),
  ]);
  burn = chain.burn(burn);
  await chain.block([unstake(EVE, SECOND), pay(EVE, ANN, 31), { ...pay(EVE, ANN, 37), skipped: true }], { view: burn });
  for (let height = 112; height <= 118; height++) burn = chain.burn(burn);
  await chain.block([call(ANN, POX5, 'calculate-rewards', Cl.list([])), unstake(ANN, FIRST)], {
    elected: burn,
    rewardsOf: 12,
  });

  // Cycle 12, burn heights 120 to 129: Cai's stake has ended, Eve's ends at 125, the bond begins.
  for (let height = 119; height <= 121; height++) burn = chain.burn(burn);
  await chain.block([unstake(ANN, FIRST), named(EVE, 'register', uint(3), text('eve'), SPACE)], { elected: burn });
  await chain.block([named(EVE, 'burn', uint(3)), stake(CAI, SECOND, 90_000, 1, 121)]);
  for (let height = 122; height <= 128; height++) burn = chain.burn(burn);
  const end = await chain.block([pay(CAI, EVE, 41)], { elected: burn, rewardsOf: 13 });
  return { deliveries: chain.deliveries, atTheEnd: readEnd(await chain.vmAt(end), end) };
}

/** @param rate what it earns in a year, in 1/100 of a percent */
export const setUpBond = (rate: number): Operation =>
  call(
    ADMIN,
    POX5,
    'setup-bond',
    uint(1),
    uint(rate),
    uint(100),
    uint(1),
    Cl.bufferFromHex('51'),
    principal(ADMIN),
    allowed(),
  );

/** Every account may register for the bond. */
const allowed = (): ClarityValue =>
  Cl.list(ACCOUNTS.map(account => Cl.tuple({ staker: principal(account), 'max-sats': uint(100_000) })));

export const register = (from: string, manager: ClarityValue, amount: number, sats: number): Operation =>
  call(from, POX5, 'register-for-bond', uint(1), manager, uint(amount * STX), Cl.error(uint(sats)), none());

const SALT = Cl.bufferFromHex('aa');
/** hash160 of `staking` and the salt. */
const PREORDER = Cl.bufferFromHex('2c1159beed4ebd3fd8256171ab58e63a61e9a14a');

function namespace(): Operation[] {
  const ones = Array.from({ length: 18 }, () => uint(1));
  return [
    call(ADMIN, BNS, 'namespace-preorder', PREORDER, uint(640_000 * STX)),
    call(ADMIN, BNS, 'namespace-reveal', SPACE, SALT, ...ones, uint(1), uint(1), uint(0), principal(ADMIN)),
  ];
}
const imported = (label: string, owner: string): Operation =>
  call(ADMIN, BNS, 'name-import', SPACE, text(label), principal(owner), Cl.buffer(new Uint8Array(20).fill(1)));
const ready = (): Operation => call(ADMIN, BNS, 'namespace-ready', SPACE);

function readEnd(vm: ClarityVm, { block, view }: Placed): AtTheEnd {
  const accounts = Object.fromEntries(
    ACCOUNTS.map(account => [account, { ...vm.holding(account), sats: vm.tokens(SBTC, account) }]),
  );
  return { tip: block.indexHash, burnHeight: view.height, accounts, names: readNames(vm), stakers: readStakers(vm) };
}

function readNames(vm: ClarityVm): AtTheEnd['names'] {
  const owned: [owner: string, name: string][] = [];
  const inVersion2 = new Set<string>();
  for (const id of TOKENS) {
    const name = asciiOf(membersOf(vm.read(BNS_V2, 'get-name', [uint(id)])).name);
    const owner = textOf(vm.read(BNS_V2, 'get-owner', [uint(id)]));
    if (name !== undefined) inVersion2.add(name);
    if (name !== undefined && owner !== undefined) owned.push([owner, `${name}.${NAMESPACE}`]);
  }
  for (const label of LABELS.filter(label => !inVersion2.has(label))) {
    const owner = textOf(membersOf(vm.read(BNS, 'name-resolve', [SPACE, text(label)])).owner);
    if (owner !== undefined) owned.push([owner, `${label}.${NAMESPACE}`]);
  }
  const byOwner = Map.groupBy(owned, ([owner]) => owner);
  return Object.fromEntries([...byOwner].map(([owner, names]) => [owner, names.map(([, name]) => name).sort()]));
}

function asciiOf(value: ClarityValue | undefined): string | undefined {
  return value?.type === 'buffer' ? Buffer.from(value.value, 'hex').toString() : undefined;
}

function textOf(value: ClarityValue | undefined): string | undefined {
  const inner = value && unwrapped(value);
  return inner?.type === 'address' || inner?.type === 'contract' ? inner.value : undefined;
}

function readStakers(vm: ClarityVm): AtTheEnd['stakers'] {
  const counts: Record<string, Record<string, number>> = {};
  for (const cycle of CYCLES) {
    const ofCycle: Record<string, number> = {};
    for (const account of ACCOUNTS) {
      const membership = vm.read(POX5, 'get-signer-cycle-membership', [principal(account), uint(cycle)]);
      const manager = textOf(membersOf(membership).signer);
      const key = manager && keyOf(vm, manager);
      if (key) ofCycle[`0x${key}`] = (ofCycle[`0x${key}`] ?? 0) + 1;
    }
    counts[cycle] = ofCycle;
  }
  return counts;
}
