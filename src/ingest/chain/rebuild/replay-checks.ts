import { isDeepStrictEqual } from 'node:util';
import type { BlockTransaction, NakamotoBlock } from '../../../base/codec/index.ts';
import { decodeClarityValue } from '../../../base/codec/index.ts';
import { hexBytes, rawHex } from '../../../base/lib/hex.ts';
import type { ReplayedBlock, ReplayedTransaction } from './replies.ts';

/**
 * Whether a replay can be of this block (docs/spec/rebuilt-blocks.md#checks). The bytes of the block prove the transactions and their order; of the
 * results they prove the amounts of transfers, the fees, and that failed transactions have no events.
 * @returns why the replay is of another block; undefined if it may be of this one
 */
export function contradiction({ header, transactions }: NakamotoBlock, replay: ReplayedBlock): string | undefined {
  const named: readonly [name: string, replayed: unknown, own: unknown][] = [
    ['block_id', replay.block_id, bare(header.blockId)],
    ['parent_block_id', replay.parent_block_id, bare(header.parentBlockId)],
    ['block_hash', replay.block_hash, bare(header.blockHash)],
    ['block_height', replay.block_height, header.height],
    ['timestamp', replay.timestamp, header.timestamp],
    ['consensus_hash', replay.consensus_hash, bare(header.consensusHash)],
    ['tx_merkle_root', replay.tx_merkle_root, bare(header.txMerkleRoot)],
    ['valid_merkle_root', replay.valid_merkle_root, true],
    ['state_index_root', replay.state_index_root, bare(header.stateIndexRoot)],
    ['miner_signature', replay.miner_signature, bare(header.minerSignature)],
    ['number of transactions', replay.transactions.length, transactions.length],
    ['sum of fees', replay.fees, transactions.reduce((sum, tx) => sum + feeOf(tx), 0n)],
  ];
  const wrong = named.find(([, replayed, own]) => replayed !== own);
  if (wrong) return `its ${wrong[0]} is ${wrong[1]}, that of the block ${wrong[2]}`;
  for (const [i, own] of transactions.entries()) {
    const replayed = replay.transactions[i];
    const reason = replayed && wrongIn(own, replayed);
    if (reason !== undefined) return `transaction ${i}: ${reason}`;
  }
  return undefined;
}

const bare = (hash: string): string => hash.slice(2);

const feeOf = ({ transaction: { origin, sponsor } }: BlockTransaction): bigint => (sponsor ?? origin).fee;

function wrongIn(own: BlockTransaction, replayed: ReplayedTransaction): string | undefined {
  if (replayed.txid !== bare(own.txId)) return `its id is ${replayed.txid}, that of the block ${bare(own.txId)}`;
  if (replayed.hex !== rawHex(own.raw)) return 'its bytes are not those of the block';
  if (!decodeClarityValue(hexBytes(replayed.result_hex)).ok) return 'its result is no Clarity value';
  for (const [i, event] of replayed.events.entries()) {
    if (event.txid !== own.txId) return `event ${i} is of another transaction`;
    if (event.event_index !== i) return `event ${i} has the number ${event.event_index}`;
    if (!event.committed) return `event ${i} is not committed`;
    if (event.type === 'unknown') return `event ${i} has a type that is not known`;
  }
  const burned = replayed.events.reduce(
    (sum, event) => sum + (event.type === 'stx_burn_event' ? BigInt(event.stx_burn_event.amount) : 0n),
    0n,
  );
  if (burned !== replayed.stx_burned) return `it burns ${replayed.stx_burned} micro-STX, its events ${burned}`;
  if (replayedStatus(replayed) !== 'success')
    return replayed.events.length > 0 ? 'it failed, and has events' : undefined;
  if (replayed.vm_error !== null) return 'it succeeded, and has an error of the VM';
  return wrongForPayload(own, replayed);
}

/** A memo without the zero bytes at its end. */
const withoutPadding = (hex: string): string => hex.replace(/(?:00)+$/, '');

const OK_TRUE = '0x0703';

/** Compares the result of a successful transaction with its payload. */
function wrongForPayload({ transaction }: BlockTransaction, replayed: ReplayedTransaction): string | undefined {
  const { payload, origin } = transaction;
  switch (payload.kind) {
    case 'token_transfer': {
      const moved = { sender: origin.address, recipient: payload.recipient, amount: String(payload.amount) };
      const [only, second] = replayed.events;
      const event = only?.type === 'stx_transfer_event' ? only.stx_transfer_event : undefined;
      if (!event || second) return 'a transfer has exactly one event, of a transfer';
      const { memo, ...rest } = event;
      if (!isDeepStrictEqual(rest, moved)) return 'its event is not the transfer that its bytes order';
      if (memo !== null && withoutPadding(memo) !== withoutPadding(payload.memo.slice(2)))
        return 'its event has another memo than its bytes';
      return replayed.result_hex === OK_TRUE ? undefined : 'a transfer has the result (ok true)';
    }
    case 'coinbase':
    case 'tenure_change':
      if (replayed.events.length > 0) return 'it has events, and its kind has none in a replay';
      return replayed.result_hex === OK_TRUE ? undefined : 'its kind has the result (ok true)';
    case 'smart_contract':
    case 'contract_call':
    case 'poison_microblock':
      return undefined;
    default:
      return payload satisfies never;
  }
}

/** First byte of a serialised `(err ...)`. */
const ERROR_PREFIX = '0x08';

/** The status that a node reports. No transaction of a block that can be replayed was skipped. */
export function replayedStatus({ post_condition_aborted, result_hex }: ReplayedTransaction): string {
  if (post_condition_aborted) return 'abort_by_post_condition';
  return result_hex.startsWith(ERROR_PREFIX) ? 'abort_by_response' : 'success';
}
