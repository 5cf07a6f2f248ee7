import { Cl, type ClarityValue } from '@stacks/transactions';
import { encodeClarityPrincipal } from '../../../src/base/codec/index.ts';
import { decodeAddress } from '../../../src/base/codec/principal.ts';
import { toHex } from '../../../src/base/lib/hex.ts';
import { type BuiltTx, sha } from '../../support/transaction-builder.ts';
import {
  bytes,
  filled,
  longText,
  name,
  standardAuth,
  u32,
  u64,
  wireTransaction,
} from '../../support/wire-transaction.ts';
import { poxPrints } from './pox-5.ts';
import { CLARITY_VERSION, type ClarityVm, type Ran } from './vm.ts';

/** The action of an account in a transaction. */
export type Operation = {
  /** The address that signs and pays. */
  readonly from: string;
  /** True: the node takes the fee and does not run it. */
  readonly skipped?: boolean;
} & (
  | { readonly kind: 'transfer'; readonly to: string; readonly amount: number }
  | { readonly kind: 'deploy'; readonly contract: string; readonly source: string }
  | { readonly kind: 'call'; readonly contract: string; readonly fn: string; readonly args: readonly ClarityValue[] }
);

export const call = (from: string, contract: string, fn: string, ...args: ClarityValue[]): Operation => ({
  kind: 'call',
  from,
  contract,
  fn,
  args,
});

export const FEE = 500;
const NONE: Ran = {
  result: Cl.error(Cl.none()),
  events: [],
  cost: { runtime: 0, read_count: 0, read_length: 0, write_count: 0, write_length: 0 },
};

/** Runs an operation in the VM, and returns the node's report of it. */
export function perform(vm: ClarityVm, operation: Operation, nonce: number): BuiltTx {
  vm.payFee(operation.from, FEE);
  const { result, events, cost } = operation.skipped ? NONE : run(vm, operation);
  const status = operation.skipped ? 'problematic_skipped' : result.type === 'err' ? 'abort_by_response' : 'success';
  const deployed = operation.kind === 'deploy' ? vm.interfaceOf(`${operation.from}.${operation.contract}`) : null;
  return signed(payloadOf(operation), {
    ...{ from: operation.from, nonce, fee: FEE, events },
    fields: {
      status,
      raw_result: `0x${Cl.serialize(result)}`,
      contract_interface: deployed,
      execution_cost: cost,
      ...(operation.skipped && { problematic_skipped: 2 }),
    },
  });
}

function run(vm: ClarityVm, operation: Operation): Ran {
  switch (operation.kind) {
    case 'transfer':
      return vm.transfer(operation.from, operation.to, operation.amount);
    case 'deploy':
      return vm.deploy(operation.from, operation.contract, operation.source);
    case 'call': {
      const done = vm.call(operation.from, operation.contract, operation.fn, operation.args);
      return { ...done, events: [...poxPrints(vm, operation, done.result), ...done.events] };
    }
    default:
      return operation satisfies never;
  }
}

function payloadOf(operation: Operation): Uint8Array {
  switch (operation.kind) {
    case 'transfer':
      return bytes(0x00, encodeClarityPrincipal(operation.to), u64(operation.amount), filled(34, 0));
    case 'deploy':
      return bytes(0x06, CLARITY_VERSION, name(operation.contract), longText(operation.source));
    case 'call': {
      const [address = '', contract = ''] = operation.contract.split('.');
      const args = operation.args.map(arg => Buffer.from(Cl.serialize(arg), 'hex'));
      return bytes(0x02, ...hashOf(address), name(contract), name(operation.fn), u32(args.length), ...args);
    }
    default:
      return operation satisfies never;
  }
}

/** Version byte and hash of an address. */
function hashOf(address: string): [number, Uint8Array] {
  const decoded = decodeAddress(address);
  if (!decoded) throw new Error(`no address: ${address}`);
  return [decoded.version, decoded.hash160];
}

interface Signing {
  readonly from: string;
  readonly nonce: number;
  readonly fee: number;
  readonly events?: BuiltTx['events'];
  readonly fields?: BuiltTx['body'];
}

/** A transaction of the testnet with any payload. */
export function signed(payload: Uint8Array, { from, nonce, fee, events = [], fields = {} }: Signing): BuiltTx {
  const [, hash160] = hashOf(from);
  const condition = bytes(0x00, hash160, u64(nonce), u64(fee), 0x00, filled(65, 0x01));
  const raw = wireTransaction({ version: 0x80, chainId: 0x80000000, auth: standardAuth(condition), payload });
  const txId = sha(raw);
  const body = {
    txid: txId,
    raw_tx: toHex(raw),
    raw_result: '0x0703',
    status: 'success',
    contract_interface: null,
    execution_cost: NONE.cost,
    ...fields,
  };
  return { txId, body, events: events.map(event => ({ txid: txId, committed: true, ...event })) };
}
