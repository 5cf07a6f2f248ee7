import {
  bitcoinToPoxAddress,
  decodeAddress,
  decodeClarityArgs,
  decodePoxEvent,
  encodeClarityArgs,
  encodeClarityBuffer,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityUint,
  encodePoxAddress,
  type Payload,
  stacksToPoxAddress,
  type Transaction,
} from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { BurnchainOp } from '../node/events/burnchain-op.ts';
import type { NodeTransaction } from '../node/events/transaction.ts';
import type { EventFacts } from './event-facts.ts';
import { bootAddress, MAINNET_CHAIN_ID, type Network, TESTNET_CHAIN_ID } from './network.ts';
import { rewardCycleLength } from './pox-cycles.ts';

interface OperationContext {
  /** Burn height of the Stacks block. */
  readonly burnBlockHeight: number;
  readonly network: Network;
}

type Operation<T extends BurnchainOp['type']> = Extract<BurnchainOp, { type: T }>;
type Part = { readonly sender: string; readonly payload: Payload };

/**
 * The transaction that represents an operation sent on Bitcoin. Its bytes are just `0x00`, so the transaction is built from the
 * operation and the events (docs/spec/ingestion.md#operations-from-bitcoin).
 * @returns null for an operation that did nothing, a text when no rule fits
 */
export function readBitcoinOperation(
  tx: NodeTransaction,
  events: readonly EventFacts[],
  context: OperationContext,
): Transaction | null | string {
  if (events.length === 0) return null;
  try {
    const part = readPart(tx, events, context);
    return part === undefined
      ? `no rule for the Bitcoin operation ${tx.burnchain_op?.type ?? 'unknown'}`
      : wrap(tx.txid, part, context.network);
  } catch (error) {
    return `malformed Bitcoin operation: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function readPart(tx: NodeTransaction, events: readonly EventFacts[], context: OperationContext): Part | undefined {
  const op = tx.burnchain_op;
  const transfer = events.find(event => event.kind === 'stx' && event.action === 'transfer');
  if (transfer?.kind === 'stx') return transferPart(transfer.sender ?? '', transfer.recipient ?? '', transfer.amount);
  if (op?.type === 'stack_stx' && op.stack_stx.signer_key !== null) return stackStxOfPox4(op, context);
  const lock = events.find(event => event.kind === 'stx_lock');
  if (lock?.kind === 'stx_lock') return stackStxFromLock(lock, events, context);
  const delegation = events.map(event => delegateStxEvent(event, context.network)).find(found => found !== undefined);
  if (delegation)
    return op?.type === 'delegate_stx' && delegation.contract === 'pox-4'
      ? delegateStxFromOp(op, context)
      : delegateStxFromEvent(delegation, context);
  const mint = events.find(event => event.kind === 'stx' && event.action === 'mint');
  if (mint?.kind === 'stx') return transferPart(bootAddress(context.network), mint.recipient ?? '', mint.amount);
  return undefined;
}

const NO_MEMO = '0x';

const transferPart = (sender: string, recipient: string, amount: string): Part => ({
  sender,
  payload: { kind: 'token_transfer', typeId: 0, recipient, amount: BigInt(amount), memo: NO_MEMO },
});

function stackStxOfPox4({ stack_stx: op }: Operation<'stack_stx'>, context: OperationContext): Part {
  return callPart(context.network, 'pox-4', 'stack-stx', op.sender.address, [
    encodeClarityUint(BigInt(op.stacked_ustx)),
    poxAddressArgument(bitcoinToPoxAddress(op.reward_addr)),
    encodeClarityUint(op.burn_block_height ?? context.burnBlockHeight),
    encodeClarityUint(op.num_cycles),
    encodeClarityNone(),
    encodeClarityBuffer(fromHex(op.signer_key ?? '') ?? new Uint8Array()),
    encodeClarityUint(BigInt(op.max_amount ?? 0)),
    encodeClarityUint(BigInt(op.auth_id ?? 0)),
  ]);
}

type LockFacts = Extract<EventFacts, { kind: 'stx_lock' }>;

function stackStxFromLock(lock: LockFacts, events: readonly EventFacts[], context: OperationContext): Part {
  const contract = lock.contractId?.split('.')[1] ?? 'pox';
  const announced = events.map(event => poxAddressOfEvent(event, context.network)).find(found => found !== undefined);
  const cycles = Math.floor((lock.unlockHeight - context.burnBlockHeight) / rewardCycleLength(context.network));
  return callPart(context.network, contract, 'stack-stx', lock.address, [
    encodeClarityUint(BigInt(lock.lockedAmount)),
    announced ?? poxAddressArgument(stacksToPoxAddress(lock.address)),
    encodeClarityUint(context.burnBlockHeight),
    encodeClarityUint(Math.max(cycles, 0)),
  ]);
}

interface Delegation {
  readonly contract: string;
  readonly event: Extract<NonNullable<ReturnType<typeof poxEventOf>>, { name: 'delegate-stx' }>;
}

function delegateStxEvent(event: EventFacts, network: Network): Delegation | undefined {
  const pox = poxEventOf(event, network);
  return event.kind === 'log' && pox?.name === 'delegate-stx'
    ? { contract: event.contractId.split('.')[1] ?? '', event: pox }
    : undefined;
}

function delegateStxFromOp({ delegate_stx: op }: Operation<'delegate_stx'>, context: OperationContext): Part {
  const reward = op.reward_addr && bitcoinToPoxAddress(op.reward_addr[1]);
  return callPart(context.network, 'pox-4', 'delegate-stx', op.sender.address, [
    encodeClarityUint(BigInt(op.delegated_ustx)),
    encodeClarityPrincipal(op.delegate_to.address),
    optional(op.until_burn_height === null ? undefined : encodeClarityUint(op.until_burn_height)),
    optional(reward ? encodePoxAddress(reward) : undefined),
  ]);
}

function delegateStxFromEvent({ contract, event }: Delegation, context: OperationContext): Part {
  const { amountUstx, delegateTo, unlockBurnHeight } = event.data;
  return callPart(context.network, contract, 'delegate-stx', event.stacker, [
    encodeClarityUint(amountUstx),
    encodeClarityPrincipal(delegateTo),
    optional(unlockBurnHeight === null ? undefined : encodeClarityUint(unlockBurnHeight)),
    optional(event.poxAddrRaw ? poxAddressOfRaw(event.poxAddrRaw) : undefined),
  ]);
}

const optional = (value: Uint8Array | undefined): Uint8Array =>
  value === undefined ? encodeClarityNone() : encodeClaritySome(value);

const POX_CONTRACTS = new Set(
  (['mainnet', 'testnet'] as const).flatMap(network =>
    ['pox', 'pox-2', 'pox-3', 'pox-4'].map(name => `${bootAddress(network)}.${name}`),
  ),
);

function poxEventOf(event: EventFacts, network: Network) {
  if (event.kind !== 'log' || event.topic !== 'print' || !POX_CONTRACTS.has(event.contractId)) return undefined;
  const decoded = decodePoxEvent(fromHex(event.value) ?? new Uint8Array(), network);
  return decoded.ok && decoded.value ? decoded.value : undefined;
}

function poxAddressOfEvent(event: EventFacts, network: Network): Uint8Array | undefined {
  const raw = poxEventOf(event, network)?.poxAddrRaw;
  return raw ? poxAddressOfRaw(raw) : undefined;
}

/** @param raw version byte and hash in hex */
function poxAddressOfRaw(raw: string): Uint8Array {
  const bytes = fromHex(raw) ?? new Uint8Array(1);
  return encodePoxAddress({ version: bytes[0] ?? 0, hashbytes: bytes.subarray(1) });
}

function poxAddressArgument(address: ReturnType<typeof bitcoinToPoxAddress>): Uint8Array {
  if (!address) throw new RangeError('the reward address has no PoX form');
  return encodePoxAddress(address);
}

function callPart(
  network: Network,
  contract: string,
  functionName: string,
  sender: string,
  args: readonly Uint8Array[],
): Part {
  const decoded = decodeClarityArgs(encodeClarityArgs(args));
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  const contractId = `${bootAddress(network)}.${contract}`;
  return { sender, payload: { kind: 'contract_call', typeId: 2, contractId, functionName, args: decoded.value } };
}

/** Fixed fields of every such transaction (docs/spec/ingestion.md#operations-from-bitcoin). */
function wrap(txId: string, { sender, payload }: Part, network: Network): Transaction {
  const address = sender.split('.')[0] ?? sender;
  return {
    txId,
    version: network === 'mainnet' ? 0x00 : 0x80,
    chainId: network === 'mainnet' ? MAINNET_CHAIN_ID : TESTNET_CHAIN_ID,
    origin: {
      kind: 'single_sig',
      hashMode: 0,
      signerHash: toHex(decodeAddress(address)?.hash160 ?? new Uint8Array(20)),
      address: sender,
      nonce: 0n,
      fee: 0n,
      keyEncoding: 0,
      signature: '0x',
    },
    sponsor: null,
    anchorMode: 3,
    postConditionMode: 1,
    postConditions: [],
    payload,
  };
}
