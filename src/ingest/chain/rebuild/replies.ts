import { fail, ok, type Result } from '../../../base/lib/result.ts';
import {
  array,
  bareHex,
  boolean,
  hex,
  InvalidField,
  nonNegativeInteger,
  object,
  optional,
  type Reader,
  type ReaderResult,
  string,
} from '../../node/events/fields.ts';
import { executionCost } from '../../node/events/transaction.ts';
import { transactionEvent } from '../../node/events/transaction-event.ts';

/* What a node responds about a block (docs/spec/rebuilt-blocks.md#replies). Members that are not named here are not used. */

const MOST_U128 = (1n << 128n) - 1n;

/** An integer of up to 128 bits. Numbers that a double cannot hold come as bigint: see parseJsonExactly. */
const u128: Reader<bigint> = value => {
  const number = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value as bigint | number) : -1n;
  if (number < 0n || number > MOST_U128) throw new InvalidField('a non-negative integer of at most 128 bits');
  return number;
};

const replayedTransaction = object({
  txid: bareHex(32),
  /** The bytes of the transaction. */
  hex: bareHex(),
  /** A Clarity value. */
  result_hex: hex,
  post_condition_aborted: boolean,
  vm_error: optional(string),
  stx_burned: u128,
  execution_cost: executionCost,
  events: array(transactionEvent),
});
export type ReplayedTransaction = ReaderResult<typeof replayedTransaction>;

/** `GET /v3/blocks/replay/{id}` */
const replayedBlock = object({
  block_id: bareHex(32),
  parent_block_id: bareHex(32),
  block_hash: bareHex(32),
  block_height: nonNegativeInteger,
  timestamp: nonNegativeInteger,
  consensus_hash: bareHex(20),
  fees: u128,
  tx_merkle_root: bareHex(32),
  valid_merkle_root: boolean,
  state_index_root: bareHex(32),
  miner_signature: bareHex(65),
  transactions: array(replayedTransaction),
});
export type ReplayedBlock = ReaderResult<typeof replayedBlock>;

/** A u128 in hex. */
const hexAmount: Reader<bigint> = (value, owner) => BigInt(`0x${bareHex(16)(value, owner)}`);

/** `GET /v2/accounts/{principal}`. The account has `balance` and `locked`, in micro-STX. */
const account = object({ balance: hexAmount, locked: hexAmount, nonce: nonNegativeInteger });
export type AccountReply = ReaderResult<typeof account>;

/** `POST /v2/map_entry/...`. */
const mapEntry = object({ data: hex });

/** Members of `GET /v2/info`. */
const nodeInfo = object({
  server_version: string,
  network_id: nonNegativeInteger,
  stacks_tip_height: nonNegativeInteger,
});

/** Members of `GET /v2/pox`. */
const poxInfo = object({ epochs: array(object({ epoch_id: string, start_height: nonNegativeInteger })) });

export const readReplay = parsed(replayedBlock);
export const readAccount = parsed(account);
export const readMapEntry = parsed(mapEntry);
export const readNodeInfo = parsed(nodeInfo);
export const readPoxInfo = parsed(poxInfo);

/** Reads a value; the error names the member that is wrong. */
function parsed<T>(read: Reader<T>): (value: unknown) => Result<T, string> {
  return value => {
    try {
      return ok(read(value, {}));
    } catch (error) {
      if (error instanceof InvalidField) return fail(error.describe('the response'));
      throw error;
    }
  };
}
