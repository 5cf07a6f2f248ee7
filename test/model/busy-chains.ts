import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  encodePoxAddress,
  stacksToBitcoin,
} from '../../src/base/codec/index.ts';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { type BuiltBlock, ChainBuilder } from '../support/chain-builder.ts';
import fc from '../support/fast-check.ts';
import { moved, Names, operation, print, tokenHex, zoneFile } from '../support/sample-names.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';
import { bytes, filled, longText, name as shortText } from '../support/wire-transaction.ts';

/** Random chains on which little space is left for what does not matter: few accounts, names and cycles, and many forks. */
export const ACCOUNTS = [6, 7, 8, 9];
const NAMES = ['a.id', 'b.id', 'c.btc'];
const LABELS = ['x', 'y'];
export const CYCLES = [7, 8, 9];
export const KEYS = [2, 3, 4].map(byte => filled(33, byte));
export const CONTRACTS = ['token', 'swap'];
export const SLOT_HOLDERS = [
  ...ACCOUNTS.slice(0, 2).map(account => stacksToBitcoin(accountAddress(account)) ?? ''),
  'tb1qxurap606trk4ly0cjcn0xu7e79yg3wyy5t940l',
];
export const asset = (contractName: string): string => `${accountAddress(9)}.${contractName}::thing`;

type Event = BuiltTx['events'][number];

const account = fc.constantFrom(...ACCOUNTS);
const nameText = fc.constantFrom(...NAMES);

/** What an event does; `n` makes a difference where there is one left to make. */
interface Deed {
  readonly kind: 'name' | 'nft' | 'ft' | 'stx' | 'pox' | 'log';
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly op: number;
  readonly n: number;
}
const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom('name', 'name', 'nft', 'ft', 'stx', 'pox', 'pox', 'log'),
  from: account,
  to: account,
  name: nameText,
  op: fc.oneof(fc.nat(11), fc.constantFrom(3, 4)),
  n: fc.nat(400),
});

const OPERATIONS = ['register', 'import', 'update', 'transfer', 'renewal', 'revoke'].map(op => `name-${op}`);

function eventsOf({ kind, from, to, name, op, n }: Deed): Event[] {
  const [sender, recipient] = [accountAddress(from), accountAddress(to)];
  const type = ['mint', 'transfer', 'burn'][n % 3] ?? 'mint';
  const sides = { ...(type !== 'mint' && { sender }), ...(type !== 'burn' && { recipient }) };
  const amounts = (event: string, fields = {}): Event[] => [
    { type: event, [event]: { ...sides, ...fields, amount: String(n) } },
  ];
  switch (kind) {
    case 'name':
      return [
        ...(op % 3 === 0 ? [] : [operation(OPERATIONS[op % 6] ?? '', name, from)]),
        ...(op % 4 === 0 ? [] : [moved(tokenHex(name), n % 5 === 0 ? null : from, n % 5 === 1 ? null : to)]),
      ];
    case 'nft':
      return [moved(tokenHex(name), n % 3 === 0 ? null : from, n % 3 === 1 ? null : to, asset(CONTRACTS[n % 2] ?? ''))];
    case 'ft':
      return amounts(`ft_${type}_event`, { asset_identifier: asset(CONTRACTS[n % 2] ?? '') });
    case 'stx':
      return amounts(`stx_${type}_event`, type === 'transfer' ? { memo: '' } : {});
    case 'pox':
      return [poxPrint(sender, recipient, op, n)];
    case 'log':
      return [print(encodeClarityUint(n), `${accountAddress(9)}.${CONTRACTS[n % 2]}`)];
    default:
      return kind satisfies never;
  }
}

const POX_OPERATIONS = [
  ...['stack-stx', 'stack-increase', 'stack-extend', 'delegate-stx', 'revoke-delegate-stx', 'handle-unlock'],
  ...['delegate-stack-stx', 'delegate-stack-increase', 'delegate-stack-extend'],
  ...['stack-aggregation-commit', 'stack-aggregation-commit-indexed', 'stack-aggregation-increase'],
];
const UNTIL = [0n, 100n, 103n, 110n, 2n ** 60n];

/** A print of any operation of a version of PoX: every member that one of them has. */
function poxPrint(stacker: string, pool: string, op: number, n: number): Event {
  const name = POX_OPERATIONS[op] ?? 'stack-stx';
  const uint = encodeClarityUint;
  const optional = (value: Uint8Array | undefined) => (value ? encodeClaritySome(value) : encodeClarityNone());
  const until = UNTIL[n % 6];
  const amounts = ['amount-ustx', 'lock-amount', 'lock-period', 'start-burn-height', 'increase-by', 'total-locked'];
  const heights = ['extend-count', 'reward-cycle', 'first-cycle-locked', 'first-unlocked-cycle'];
  const start = 7 + (n % 2);
  const address = encodePoxAddress({ version: n % 9, hashbytes: filled(n % 9 > 4 ? 32 : 20, n) });
  const data = encodeClarityTuple({
    ...Object.fromEntries([...amounts, ...heights].map(member => [member, uint(n)])),
    'unlock-burn-height': name === 'delegate-stx' ? optional(until === undefined ? until : uint(until)) : uint(110),
    'pox-addr': n % 4 === 0 ? encodeClarityNone() : n % 4 === 1 ? encodeClaritySome(address) : address,
    'signer-key': encodeClarityBuffer(KEYS[n % 3] ?? filled(33, 2)),
    'start-cycle-id': uint(start),
    'end-cycle-id': optional(n % 10 === 0 ? undefined : uint(start + (n % 3))),
    'delegate-to': encodeClarityPrincipal(n % 8 === 0 ? `${pool}.pool` : pool),
    delegator: encodeClarityPrincipal(pool),
  });
  const state = { balance: uint(1_000), locked: uint(500), 'burnchain-unlock-height': uint(105) };
  const outer = { ...state, name: encodeClarityAscii(name), stacker: encodeClarityPrincipal(stacker), data };
  const version = n % 11 === 0 ? 2 : n % 11 === 1 ? 3 : 4;
  return print(bytes(0x07, encodeClarityTuple(outer)), `ST000000000000000000002AMW42H.pox-${version}`);
}

const abiType = fc.constantFrom('uint128', 'bool', { optional: 'principal' }, { list: { type: 'int128', length: 3 } });
const fn = fc.record({
  name: fc.constantFrom('ping', 'pay'),
  access: fc.constantFrom('public', 'read_only'),
  args: fc.array(fc.record({ name: fc.constantFrom('p', 'q'), type: abiType }), { maxLength: 2 }),
  outputs: fc.record({ type: fc.oneof(abiType, fc.record({ response: fc.record({ ok: abiType, error: abiType }) })) }),
});
/** Traits that some contract has and others miss narrowly; what they leave out does not count. */
export const trait = fc.record({
  functions: fc.array(
    fc.tuple(fn, fc.subarray(['name', 'access', 'outputs'])).map(([full, dropped]) => {
      return Object.fromEntries(Object.entries(full).filter(([key]) => !dropped.includes(key)));
    }),
    { maxLength: 2 },
  ),
});

type Act =
  | { readonly act: 'events'; readonly from: number; readonly deeds: readonly Deed[]; readonly fails: boolean }
  | { readonly act: 'renewal'; readonly name: string; readonly fails: boolean }
  | { readonly act: 'deploy'; readonly name: string; readonly functions: unknown }
  | { readonly act: 'transfer'; readonly from: number; readonly to: number; readonly fails: boolean };

const fails = fc.nat(9).map(n => n === 0);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('events'), from: account, deeds: fc.array(deed), fails }) },
  fc.record({ act: fc.constant('renewal'), name: nameText, fails }),
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('deploy'),
      name: fc.constantFrom(...CONTRACTS),
      functions: fc.option(fc.uniqueArray(fn, { maxLength: 2, selector: ({ name }) => name })),
    }),
  },
  fc.record({ act: fc.constant('transfer'), from: account, to: account, fails }),
);

/** On a chain a contract is deployed once: `deployed` are those that the chain has, and gets a new one. */
function transactionOf(chain: ChainBuilder, made: Act, deployed: Set<string>): BuiltTx {
  const status = 'fails' in made && made.fails ? 'abort_by_response' : 'success';
  switch (made.act) {
    case 'events':
      return chain.tx(bytes(0x04, filled(32, 0)), { from: made.from, status, events: made.deeds.flatMap(eventsOf) });
    case 'renewal':
      return new Names(chain).renewal(made.name, encodeClarityNone(), status);
    case 'transfer':
      return chain.transfer({ from: made.from, to: made.to, status });
    case 'deploy': {
      const abi = { functions: made.functions, maps: [], fungible_tokens: [], clarity_version: 'Clarity2' };
      const failed = made.functions === null || deployed.has(made.name);
      if (!failed) deployed.add(made.name);
      return chain.tx(bytes(0x06, 0x02, shortText(made.name), longText('(print 1)')), {
        from: 9,
        status: failed ? 'abort_by_response' : 'success',
        fields: { contract_interface: failed ? null : abi },
      });
    }
    default:
      return made satisfies never;
  }
}

/** Lines of zone files: those that state the owner of a subdomain, and others. */
const RECORDS: readonly ((label: string, owner: string) => string)[] = [
  (label, owner) => `${label}\tTXT\t"owner=${owner}" "seqn=0" "parts=1" "zf0=JE9SSUdJTg=="`,
  (label, owner) => `${label} 3600 IN TXT "seqn=1" "owner=${owner}"`,
  (label, owner) => `${label} IN TXT owner=${owner} seqn=0`,
  (label, owner) => `${label} 60 TXT "owner=${owner}=x"`,
  label => `${label} TXT "seqn=0"`,
  (label, owner) => `; ${label} TXT "owner=${owner}"`,
  label => `_http._tcp.${label}\tIN\tURI\t10\t1\t"https://example.com/${label}"`,
];
const zone = fc.record({
  name: nameText,
  records: fc.array(fc.tuple(fc.constantFrom(...LABELS), account, fc.nat(RECORDS.length - 1)), { maxLength: 3 }),
  op: fc.constantFrom('name-update', 'name-update', 'name-register'),
  index: fc.nat(3),
  isEarly: fc.boolean(),
});

const signer = fc.record({
  weight: fc.integer({ min: 1, max: 4 }),
  stacked: fc.oneof(fc.bigInt(1n, 999n), fc.bigInt(1n, 10n ** 17n)),
});
/** How a block is made: on which of the last blocks, with a burn block of its own or that of its parent, and with what. */
const step = fc.record({
  back: fc.constantFrom(0, 0, 0, 1, 2),
  hasOwnBurn: fc.boolean(),
  acts: fc.array(act, { maxLength: 5 }),
  zones: fc.array(zone, { maxLength: 2 }),
  slots: fc.array(fc.constantFrom(...SLOT_HOLDERS), { maxLength: 2 }),
  set: fc.option(
    fc.record({ cycle: fc.constantFrom(...CYCLES), signers: fc.option(fc.array(signer, { maxLength: 3 })) }),
  ),
});
/** Plans, with or without a boot block. */
export const busyChains = fc.record({
  boot: fc.option(fc.array(act, { minLength: 1, maxLength: 3 })),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
});
type Plan = typeof busyChains extends fc.Arbitrary<infer T> ? T : never;

/** What nodes deliver of such a chain, each burn block before its blocks; zone files before or after theirs. */
export function deliveriesOf({ boot, steps }: Plan): { deliveries: Delivery[]; txIds: string[] } {
  const chain = new ChainBuilder();
  const deliveries: Delivery[] = [];
  const blocks: BuiltBlock[] = [];
  const atFirst = new Set<string>();
  const deployedUpTo = new Map<BuiltBlock | undefined, ReadonlySet<string>>([[undefined, atFirst]]);
  if (boot) deliveries.push(chain.bootBlock(boot.map(made => transactionOf(chain, made, atFirst))).delivery);
  for (const { back, hasOwnBurn, acts, zones, slots, set } of steps) {
    const parent = blocks.at(-1 - back);
    const own = hasOwnBurn || !parent;
    const burn = own ? chain.burnBlock({ ...(parent && { parent: parent.burn }), slots }) : parent.burn;
    const deployed = new Set(deployedUpTo.get(parent));
    const txs = [chain.coinbase(), ...acts.map(made => transactionOf(chain, made, deployed))];
    const block = chain.block({ ...(parent && { parent }), burn, txs, fields: set ? rewardSet(set) : {} });
    blocks.push(block);
    deployedUpTo.set(block, deployed);
    const files = zones.map(({ name, records, op, index, isEarly }) => {
      const content = `$ORIGIN ${name}.\n${records.map(([label, owner, form]) => `${RECORDS[form]?.(label, accountAddress(owner))}\n`).join('')}`;
      const tx = txs.at(-1);
      return tx ? [{ isEarly, file: zoneFile(block, tx, name, content, { op, index }) }] : [];
    });
    const sent = files.flat();
    if (own) deliveries.push(burn.delivery);
    deliveries.push(...sent.filter(({ isEarly }) => isEarly).map(({ file }) => file), block.delivery);
    deliveries.push(...sent.filter(({ isEarly }) => !isEarly).map(({ file }) => file));
  }
  return { deliveries, txIds: blocks.flatMap(({ txs }) => txs.map(({ txId }) => txId)) };
}

type Signers = readonly { readonly weight: number; readonly stacked: bigint }[] | null;

const rewardSet = ({ cycle, signers }: { readonly cycle: number; readonly signers: Signers }) => ({
  cycle_number: cycle,
  reward_set: {
    ...(signers && {
      signers: signers.map(({ weight, stacked }, i) => ({
        signing_key: Buffer.from(KEYS[i] ?? []).toString('hex'),
        weight,
        stacked_amt: String(stacked),
      })),
    }),
    pox_ustx_threshold: '50',
  },
});
