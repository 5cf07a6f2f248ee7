import {
  bitcoinToPoxAddress,
  type ClarityValue,
  decodeAddress,
  decodeClarityArgs,
  decodeClarityValue,
  encodeClarityArgs,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityUint,
  encodePoxAddress,
  stacksToPoxAddress,
  type Transaction,
  type Payload as TxPayload,
  tupleMember,
} from '../../src/base/codec/index.ts';
import { fromHex, toHex } from '../../src/base/lib/hex.ts';
import type { Payload } from './world.ts';

export type Network = 'mainnet' | 'testnet';

export const bootAddress = (network: Network): string =>
  network === 'mainnet' ? 'SP000000000000000000002Q6VF78' : 'ST000000000000000000002AMW42H';

/**
 * The transaction that stands for an operation made on Bitcoin (docs/spec/ingestion.md#operations-from-bitcoin); undefined
 * where none does: without events, and for kinds that have no rule here (votes for keys; deposits of tokens to subnets).
 */
export function operationAsTransaction(
  payload: Payload,
  events: readonly Payload[],
  burnHeight: number,
  network: Network,
): Transaction | undefined {
  const found = operation(payload, events, burnHeight, network);
  if (!found) return undefined;
  const mainnet = network === 'mainnet';
  return {
    txId: payload.txid,
    version: mainnet ? 0 : 0x80,
    chainId: mainnet ? 1 : 0x80000000,
    origin: {
      kind: 'single_sig',
      hashMode: 0,
      signerHash: toHex(decodeAddress(found.sender)?.hash160 ?? new Uint8Array(20)),
      address: found.sender,
      nonce: 0n,
      fee: 0n,
      keyEncoding: 0,
      signature: '0x',
    },
    sponsor: null,
    anchorMode: 3,
    postConditionMode: 1,
    postConditions: [],
    payload: found.payload,
  };
}

interface Operation {
  readonly sender: string;
  readonly payload: TxPayload;
}

/** The first rule that fits decides. */
function operation(
  payload: Payload,
  events: readonly Payload[],
  burnHeight: number,
  network: Network,
): Operation | undefined {
  if (events.length === 0) return undefined;
  const pox4 = `${bootAddress(network)}.pox-4`;
  const op = payload.burnchain_op ?? {};
  const transfer = events.find(({ type }) => type === 'stx_transfer_event')?.stx_transfer_event;
  if (transfer) return transferOf(transfer.sender, transfer);
  const stack = op.stack_stx;
  if (stack?.signer_key) {
    return call(stack.sender.address, pox4, 'stack-stx', [
      encodeClarityUint(BigInt(stack.stacked_ustx)),
      poxAddressOfBitcoin(stack.reward_addr),
      encodeClarityUint(stack.burn_block_height),
      encodeClarityUint(stack.num_cycles),
      encodeClarityNone(),
      encodeClarityBuffer(bytes(stack.signer_key)),
      encodeClarityUint(BigInt(stack.max_amount)),
      encodeClarityUint(BigInt(stack.auth_id)),
    ]);
  }
  const lock = events.find(({ type }) => type === 'stx_lock_event')?.stx_lock_event;
  if (lock) {
    const contract = lock.contract_identifier ?? `${bootAddress(network)}.pox`;
    const cycles = Math.floor((Number(lock.unlock_height) - burnHeight) / (network === 'mainnet' ? 2100 : 50));
    return call(lock.locked_address, contract, 'stack-stx', [
      encodeClarityUint(lockedAmount(payload)),
      poxAddressOfPrint(events) ?? poxAddressOfStacker(lock.locked_address),
      encodeClarityUint(burnHeight),
      encodeClarityUint(cycles),
    ]);
  }
  const delegation = events.find(event => text(member(poxPrint(event), 'name')) === 'delegate-stx');
  if (delegation) return delegate(delegation, op, pox4);
  const mint = events.find(({ type }) => type === 'stx_mint_event')?.stx_mint_event;
  return mint && transferOf(bootAddress(network), mint);
}

const transferOf = (sender: string, { recipient, amount }: Payload): Operation => ({
  sender,
  payload: { kind: 'token_transfer', typeId: 0, recipient, amount: BigInt(amount), memo: '0x' },
});

/** The fields of a delegation in PoX 4 are in its operation, older ones in its print. */
function delegate(event: Payload, op: Payload, pox4: string): Operation {
  const contract = event.contract_event.contract_identifier;
  if (contract === pox4 && op.delegate_stx) {
    const { sender, delegated_ustx, delegate_to, until_burn_height, reward_addr } = op.delegate_stx;
    return call(sender.address, contract, 'delegate-stx', [
      encodeClarityUint(BigInt(delegated_ustx)),
      encodeClarityPrincipal(delegate_to.address),
      optional(until_burn_height ? encodeClarityUint(until_burn_height) : undefined),
      optional(reward_addr ? poxAddressOfBitcoin(reward_addr[1]) : undefined),
    ]);
  }
  const print = poxPrint(event);
  const data = member(print, 'data');
  const until = member(data, 'unlock-burn-height');
  return call(principalOf(member(print, 'stacker')), contract, 'delegate-stx', [
    encodeClarityUint(amountOf(member(data, 'amount-ustx'))),
    encodeClarityPrincipal(principalOf(member(data, 'delegate-to'))),
    optional(until?.type === 'uint' ? encodeClarityUint(until.value) : undefined),
    optional(poxAddressOfPrint([event])),
  ]);
}

function call(sender: string, contractId: string, functionName: string, values: readonly Uint8Array[]): Operation {
  const args = decodeClarityArgs(encodeClarityArgs(values));
  return {
    sender,
    payload: { kind: 'contract_call', typeId: 2, contractId, functionName, args: args.ok ? args.value : [] },
  };
}

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array();

const optional = (value: Uint8Array | undefined): Uint8Array =>
  value ? encodeClaritySome(value) : encodeClarityNone();

function poxAddressOfBitcoin(address: string): Uint8Array {
  const pox = bitcoinToPoxAddress(address);
  return pox ? encodePoxAddress(pox) : encodeClarityNone();
}

function poxAddressOfStacker(address: string): Uint8Array {
  const pox = stacksToPoxAddress(address);
  return pox ? encodePoxAddress(pox) : encodeClarityNone();
}

/** `lock-amount` of the result of the call, `(ok (tuple (lock-amount ...)))`. */
function lockedAmount(payload: Payload): bigint {
  const decoded = decodeClarityValue(bytes(payload.raw_result));
  return amountOf(member(decoded.ok ? decoded.value : undefined, 'lock-amount'));
}

const amountOf = (value: ClarityValue | undefined): bigint => (value?.type === 'uint' ? value.value : 0n);
const principalOf = (value: ClarityValue | undefined): string => (value?.type === 'principal' ? value.value : '');

function poxAddressOfPrint(events: readonly Payload[]): Uint8Array | undefined {
  for (const print of events.map(poxPrint)) {
    const address = member(member(print, 'data'), 'pox-addr');
    const version = member(address, 'version');
    const hashbytes = member(address, 'hashbytes');
    if (version?.type === 'buffer' && hashbytes?.type === 'buffer')
      return encodePoxAddress({ version: version.value[0] ?? 0, hashbytes: hashbytes.value });
  }
  return undefined;
}

/** The value of a print of a PoX contract. */
function poxPrint(event: Payload): ClarityValue | undefined {
  if (event.type !== 'contract_event' || !/\.pox(-[234])?$/.test(event.contract_event.contract_identifier))
    return undefined;
  const decoded = decodeClarityValue(bytes(event.contract_event.raw_value));
  return decoded.ok ? decoded.value : undefined;
}

/** A member of a tuple, which may be in `(ok ...)` or `(some ...)`. */
function member(value: ClarityValue | undefined, name: string): ClarityValue | undefined {
  if (value?.type === 'ok' || value?.type === 'some') return member(value.value, name);
  const found = value?.type === 'tuple' ? tupleMember(value, name) : undefined;
  return found?.type === 'some' ? found.value : found;
}

const text = (value: ClarityValue | undefined): string | undefined =>
  value?.type === 'string-ascii' ? value.value : undefined;
