import { decodeTransaction, type Transaction } from '../../base/codec/index.ts';
import { AppError } from '../../base/lib/app-error.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { NewBlock } from '../node/events/block.ts';
import { type EventError, eventError } from '../node/events/json.ts';
import type { NodeEvent } from '../node/events/parse.ts';
import { bootAddress } from './network.ts';

/*
 * Finds out which network events belong to. A *witness* is a transaction in a block, not in a microblock or the mempool, that was signed for a
 * chain: no operation from Bitcoin, not of the boot address, and with a chain id other than 0. Transactions of the boot address have chain id 0,
 * at several heights. Principals in events are no witnesses, since a print may name any principal (docs/spec/ingestion.md#network).
 */

/** A transaction that identifies the network of its block. */
export interface Witness {
  readonly chainId: number;
  readonly txId: string;
}

const BOOT_ADDRESSES: ReadonlySet<string> = new Set([bootAddress('mainnet'), bootAddress('testnet')]);

/**
 * The first witness in a block.
 * @param isSought only witnesses of these chains count; by default of any
 */
export function witnessIn(
  { transactions }: Pick<NewBlock, 'transactions'>,
  isSought: (chainId: number) => boolean = () => true,
): Witness | undefined {
  for (const { raw_tx: rawTx, txid, microblock_hash: microblock } of transactions) {
    const signed = microblock === null ? signedFor(rawTx, isSought) : undefined;
    if (signed?.txId === txid) return { chainId: signed.chainId, txId: txid };
  }
  return undefined;
}

/**
 * Why an index of this chain refuses an event of another network. Undefined unless the event shows another network.
 */
export function otherNetwork(event: NodeEvent, chainId: number): EventError | undefined {
  const isOther = (id: number) => id !== chainId;
  switch (event.path) {
    case '/new_block': {
      const witness = witnessIn(event.block, isOther);
      return witness && witnessRefused(witness, chainId);
    }
    case '/new_mempool_tx': {
      const other = event.rawTxs.find(rawTx => signedFor(rawTx, isOther));
      return other === undefined ? undefined : refusal('a pending transaction', chainIdOf(other), chainId);
    }
    case '/new_burn_block':
    case '/drop_mempool_tx':
    case '/new_microblocks':
    case '/attachments/new':
    case 'acknowledged':
      return undefined;
    default:
      return event satisfies never;
  }
}

/** A transaction that was signed for one of these chains, and not by the boot address. Undefined for any other bytes. */
function signedFor(rawTx: string, isSought: (chainId: number) => boolean): Transaction | undefined {
  const chainId = chainIdOf(rawTx);
  if (chainId === 0 || !isSought(chainId)) return undefined;
  // So a transaction of the network that is expected is not decoded here.
  const decoded = decodeTransaction(fromHex(rawTx) ?? new Uint8Array());
  return decoded.ok && !BOOT_ADDRESSES.has(decoded.value.origin.address) ? decoded.value : undefined;
}

/** Why an index of a chain refuses a block with this witness. */
export const witnessRefused = ({ txId, chainId }: Witness, wanted: number): EventError =>
  refusal(`the transaction ${txId} of the block`, chainId, wanted);

const refusal = (what: string, found: number, wanted: number): EventError =>
  eventError(
    'wrong_network',
    `${what} is of chain ${chainIdText(found)}, not of ${chainIdText(wanted)}`,
    `Use --chain-id ${chainIdText(found)} with a directory or database of its own, or send events of chain ${chainIdText(wanted)}.`,
  );

/** Events belong to another network than the index. */
export class WrongNetwork extends AppError {
  override readonly name = 'WrongNetwork';
  override readonly kind = 'operator';

  /** @param place where the event is, as `file:line` */
  constructor({ message, hint }: EventError, place?: string) {
    super(place === undefined ? message : `${place}: ${message}`, { code: 'wrong_network', hint });
  }
}

/** The chain id as in options and responses: `0x00000001`. */
export const chainIdText = (chainId: number): string => `0x${chainId.toString(16).padStart(8, '0')}`;

/** Behind the version, a byte, come four bytes of chain id (SIP-005). 0 where these bytes are missing. */
const chainIdOf = (rawTx: string): number => Number.parseInt(rawTx.slice(4, 12).padEnd(8, '0'), 16) || 0;
