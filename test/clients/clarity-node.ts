import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Cl, type ClarityValue } from '@stacks/transactions';
import { decodeTransaction, type Transaction, transactionId } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { type CallBody, call, type Deployment, deployAll, type Vm } from '../support/node-stand-in.ts';
import { quietly } from '../support/quietly.ts';
import { respondJson, type SeenRequest, type StubNode, startStubNode } from '../support/stub-node.ts';
import { remoteMetadata, remoteState } from './remote-contract.ts';

const BOOT = 'ST000000000000000000002AMW42H';

export interface ClarityNode extends StubNode {
  /** What was broadcast, in order. */
  readonly taken: { readonly txId: string; readonly raw: Uint8Array; readonly transaction: Transaction }[];
}

/** When its VM starts, which takes seconds of CPU time. A client with a time limit may not wait for it. */
export type VmStart = 'now' | 'when a request needs it';

/** The chain that the node reports. */
export interface NodeTip {
  readonly height: number;
  readonly burnHeight: number;
  readonly blockHash: string;
}

/**
 * A node whose contracts run in a Clarity VM: it serves the requests of clients from the state of the VM, and takes
 * broadcasts. Its name contract has the namespace `id`.
 */
export async function startClarityNode(
  t: Pick<TestContext, 'after'>,
  deployments: readonly Deployment[],
  tip: NodeTip,
  starts: VmStart,
): Promise<ClarityNode> {
  const open = async (): Promise<Vm> => {
    const vm = await deployAll(deployments);
    launchNamespace(vm);
    return vm;
  };
  let opened: Promise<Vm> | undefined;
  const vm = () => {
    opened ??= open();
    return opened;
  };
  if (starts === 'now') await vm();
  const interfaces = new Map(deployments.map(({ contractId, contractInterface }) => [contractId, contractInterface]));
  const taken: ClarityNode['taken'] = [];
  const node = await startStubNode(t as TestContext, async (request, response) => {
    const found = await responseOf(request, { vm, opened, taken, tip, interfaces });
    if (found === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('No such path');
    else respondJson(response, found.body, found.status ?? 200);
  });
  return { ...node, taken };
}

interface NodeState {
  readonly vm: () => Promise<Vm>;
  /** Undefined before it is needed: no account has STX then. */
  readonly opened: Promise<Vm> | undefined;
  readonly taken: ClarityNode['taken'];
  readonly tip: NodeTip;
  /** As their deployments brought them: the VM does not show those of boot contracts. */
  readonly interfaces: ReadonlyMap<string, unknown>;
}

interface NodeResponse {
  readonly status?: number;
  readonly body: unknown;
}

/** @param parts of the path, as the pattern has them in brackets, decoded */
type Handler = (parts: readonly string[], body: Buffer, state: NodeState) => NodeResponse | Promise<NodeResponse>;

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ['GET', /^\/v2\/info$/, (_, __, { tip }) => ({ body: infoOf(tip) })],
  ['GET', /^\/v2\/pox$/, async (_, __, { vm, tip }) => ({ body: poxOf(await vm(), tip) })],
  [
    'GET',
    /^\/v2\/accounts\/([^/]+)$/,
    async ([principal = ''], _, { opened, taken }) => ({ body: accountOf(principal, await opened, taken) }),
  ],
  ['GET', /^\/v2\/fees\/transfer$/, () => ({ body: 1 })],
  ['POST', /^\/v2\/fees\/transaction$/, () => ({ body: ESTIMATE })],
  ['POST', /^\/v2\/transactions$/, (_, body, state) => take(body, state)],
  [
    'GET',
    /^\/v2\/contracts\/interface\/([^/]+)\/([^/]+)$/,
    ([address, name], _, { interfaces }) => found(interfaces.get(`${address}.${name}`)),
  ],
  [
    'GET',
    /^\/v2\/contracts\/source\/([^/]+)\/([^/]+)$/,
    async ([address, name], _, { vm }) => {
      const source = (await vm()).getContractSource(`${address}.${name}`);
      return found(source && { source, publish_height: 1, proof: '' });
    },
  ],
  [
    'POST',
    /^\/v2\/contracts\/call-read\/([^/]+)\/([^/]+)\/([^/]+)$/,
    async ([address, name, functionName = ''], body, { vm }) => ({
      body: call(await vm(), `${address}.${name}`, functionName, JSON.parse(body.toString()) as CallBody),
    }),
  ],
  [
    'POST',
    /^\/v2\/map_entry\/([^/]+)\/([^/]+)\/([^/]+)$/,
    async ([address, name, map = ''], body, state) => {
      const key = Cl.deserialize(JSON.parse(body.toString()) as string);
      const vm = await state.vm();
      return stateOf(() => entryOf(vm, `${address}.${name}`, map, key));
    },
  ],
  [
    'GET',
    /^\/v2\/data_var\/([^/]+)\/([^/]+)\/([^/]+)$/,
    async ([address, name, variable = ''], _, state) => {
      const vm = await state.vm();
      return stateOf(() => vm.getDataVar(`${address}.${name}`, variable));
    },
  ],
  // The VM does not show how it keeps contracts: there is one that only this node has.
  ['GET', /^\/v2\/clarity\/marf\/([^/]+)$/, ([key = '']) => kept(remoteState(key))],
  [
    'GET',
    /^\/v2\/clarity\/metadata\/([^/]+)\/([^/]+)\/([^/]+)$/,
    ([address, name, key = '']) => kept(remoteMetadata(`${address}.${name}`, key)),
  ],
  ['GET', /^\/v3\/sortitions\/burn_height\/(\d+)$/, ([height]) => ({ body: [sortitionOf(Number(height))] })],
];

async function responseOf({ method, url, body }: SeenRequest, state: NodeState): Promise<NodeResponse | undefined> {
  const path = url.replace(/\?.*/, '');
  for (const [of, pattern, handler] of ROUTES) {
    const parts = of === method ? pattern.exec(path) : null;
    if (parts) return handled(() => handler(parts.slice(1).map(decodeURIComponent), body, state));
  }
  return undefined;
}

/** What cannot be read is a bad request. */
async function handled(handle: () => NodeResponse | Promise<NodeResponse>): Promise<NodeResponse> {
  try {
    return await handle();
  } catch (error) {
    return { status: 400, body: String(error) };
  }
}

const kept = (data: string | undefined): NodeResponse =>
  data === undefined ? { status: 404, body: 'Data not found' } : { body: { data } };

const found = (body: unknown): NodeResponse => (body ? { body } : { status: 404, body: 'No such contract' });

function stateOf(read: () => ClarityValue): NodeResponse {
  try {
    return { body: { data: `0x${Cl.serialize(quietly(read))}`, proof: '' } };
  } catch {
    return { status: 404, body: 'Data not found' };
  }
}

/** A node gives `none` where a map has no such key. */
function entryOf(vm: Vm, contractId: string, map: string, key: ClarityValue): ClarityValue {
  try {
    return vm.getMapEntry(contractId, map, key);
  } catch (error) {
    if (/value not found/.test(String(error))) return Cl.none();
    throw error;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const infoOf = ({ height, burnHeight, blockHash }: NodeTip) => ({
  peer_version: 4_207_599_114,
  pox_consensus: hashOf('pox').slice(0, 40),
  burn_block_height: burnHeight,
  stable_pox_consensus: hashOf('stable').slice(0, 40),
  stable_burn_block_height: burnHeight - 1,
  server_version: 'stacks-node 3.2.0.0.1 (stub)',
  network_id: 2_147_483_648,
  parent_network_id: 118_034_699,
  stacks_tip_height: height,
  stacks_tip: blockHash.slice(2),
  stacks_tip_consensus_hash: hashOf('tenure').slice(0, 40),
  genesis_chainstate_hash: hashOf('genesis'),
  unanchored_tip: null,
  unanchored_seq: null,
  exit_at_block_height: null,
});

function poxOf(vm: Vm, tip: NodeTip) {
  const contract = `${BOOT}.pox-4`;
  const variable = (name: string) => Number(Cl.prettyPrint(vm.getDataVar(contract, name)).replace('u', ''));
  const length = variable('pox-reward-cycle-length');
  const first = variable('first-burnchain-block-height');
  const id = Math.floor((tip.burnHeight - first) / length);
  const cycle = { id, min_threshold_ustx: 90_000_000_000, stacked_ustx: 0, is_pox_active: false };
  return {
    contract_id: contract,
    pox_activation_threshold_ustx: 600_057_388_429_055,
    first_burnchain_block_height: first,
    current_burnchain_block_height: tip.burnHeight,
    prepare_phase_block_length: variable('pox-prepare-cycle-length'),
    reward_phase_block_length: length - variable('pox-prepare-cycle-length'),
    reward_slots: 2 * (length - variable('pox-prepare-cycle-length')),
    rejection_fraction: null,
    total_liquid_supply_ustx: 40_000_000_000_000_000,
    current_cycle: cycle,
    next_cycle: {
      ...cycle,
      id: id + 1,
      prepare_phase_start_block_height: first + (id + 1) * length - variable('pox-prepare-cycle-length'),
      blocks_until_prepare_phase: 1,
      reward_phase_start_block_height: first + (id + 1) * length,
      blocks_until_reward_phase: first + (id + 1) * length - tip.burnHeight,
      ustx_until_pox_rejection: null,
    },
    epochs: [],
    min_amount_ustx: 90_000_000_000,
    prepare_cycle_length: variable('pox-prepare-cycle-length'),
    reward_cycle_id: id,
    reward_cycle_length: length,
    rejection_votes_left_required: null,
    next_reward_cycle_in: first + (id + 1) * length - tip.burnHeight,
    contract_versions: [
      { contract_id: `${BOOT}.pox`, activation_burnchain_block_height: 0, first_reward_cycle_id: 0 },
      { contract_id: `${BOOT}.pox-2`, activation_burnchain_block_height: 1, first_reward_cycle_id: 1 },
      { contract_id: `${BOOT}.pox-3`, activation_burnchain_block_height: 2, first_reward_cycle_id: 1 },
      { contract_id: contract, activation_burnchain_block_height: 3, first_reward_cycle_id: 1 },
    ],
  };
}

function accountOf(principal: string, vm: Vm | undefined, taken: ClarityNode['taken']) {
  const balance = vm?.getAssetsMap().get('STX')?.get(principal) ?? 0n;
  return {
    balance: `0x${balance.toString(16).padStart(32, '0')}`,
    locked: `0x${'0'.repeat(32)}`,
    unlock_height: 0,
    nonce: taken.filter(({ transaction }) => transaction.origin.address === principal).length,
    balance_proof: '',
    nonce_proof: '',
  };
}

const ESTIMATE = {
  estimated_cost: { read_count: 3, read_length: 1000, runtime: 10_000, write_count: 1, write_length: 10 },
  estimated_cost_scalar: 14,
  estimations: [180, 360, 720].map(fee => ({ fee_rate: fee / 180, fee })),
  cost_scalar_change_by_byte: 0.005,
};

/** Takes every transaction that can be read. */
function take(body: Buffer, { taken }: NodeState): NodeResponse {
  const raw = body[0] === 0x7b ? fromHex(String(JSON.parse(body.toString()).tx).replace(/^(0x)?/, '0x')) : body;
  const decoded = decodeTransaction(raw ?? new Uint8Array());
  if (!raw || !decoded.ok) return { status: 400, body: { error: 'transaction rejected', reason: 'Deserialization' } };
  const txId = transactionId(raw);
  taken.push({ txId, raw, transaction: decoded.value });
  return { body: txId.slice(2) };
}

const sortitionOf = (height: number) => ({
  burn_block_hash: `0x${hashOf(`burn ${height}`)}`,
  burn_block_height: height,
  burn_header_timestamp: 1_700_000_000 + height * 600,
  sortition_id: `0x${hashOf(`sortition ${height}`)}`,
  parent_sortition_id: `0x${hashOf(`sortition ${height - 1}`)}`,
  consensus_hash: `0x${hashOf(`consensus ${height}`).slice(0, 40)}`,
  was_sortition: true,
  miner_pk_hash160: `0x${hashOf('miner').slice(0, 40)}`,
  stacks_parent_ch: `0x${hashOf(`consensus ${height - 1}`).slice(0, 40)}`,
  last_sortition_ch: `0x${hashOf(`consensus ${height - 1}`).slice(0, 40)}`,
  committed_block_hash: `0x${hashOf(`block ${height}`)}`,
  vrf_seed: `0x${hashOf(`vrf ${height}`)}`,
});

/** The namespace `id` of the name contract, as its first owners launched it. */
function launchNamespace(vm: Vm): void {
  const owner = 'ST1PQHQKV0RJXZFY1DGX8MNSNYVE3VGZJSRTPGZGM';
  const [namespace, salt] = [Buffer.from('id'), Buffer.from('salt')];
  const hash = createHash('ripemd160')
    .update(
      createHash('sha256')
        .update(Buffer.concat([namespace, salt]))
        .digest(),
    )
    .digest();
  vm.mintSTX(owner, 10_000_000_000_000n);
  const uint = (value: number) => Cl.uint(value);
  const buckets = Array.from({ length: 16 }, () => uint(1));
  const contract = `${BOOT}.bns`;
  quietly(() => {
    vm.callPublicFn(contract, 'namespace-preorder', [Cl.buffer(hash), uint(1_000_000_000_000)], owner);
    const reveal = [Cl.buffer(namespace), Cl.buffer(salt), uint(10), uint(4), ...buckets, uint(4), uint(4), uint(5000)];
    vm.callPublicFn(contract, 'namespace-reveal', [...reveal, Cl.standardPrincipal(owner)], owner);
    vm.callPublicFn(contract, 'namespace-ready', [Cl.buffer(namespace)], owner);
  });
}
