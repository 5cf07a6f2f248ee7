import type { JsonObject } from '../../../base/lib/json.ts';
import { burnchainOp } from './burnchain-op.ts';
import {
  checked,
  hash32,
  hex,
  jsonObject,
  nonNegativeInteger,
  object,
  optional,
  type Reader,
  type ReaderResult,
  string,
} from './fields.ts';

export const executionCost = object({
  runtime: nonNegativeInteger,
  read_count: nonNegativeInteger,
  read_length: nonNegativeInteger,
  write_count: nonNegativeInteger,
  write_length: nonNegativeInteger,
});
export type ExecutionCost = ReaderResult<typeof executionCost>;

/** Nodes before 2.1 send `contract_abi`. Kept as parsed: it is served as JSON. */
const contractInterface: Reader<JsonObject | null> = (value, tx) => optional(jsonObject)(value ?? tx.contract_abi, tx);

const transactionFields = object({
  txid: hash32,
  tx_index: nonNegativeInteger,
  /** `0x00`: came from Bitcoin (docs/spec/ingestion.md#operations-from-bitcoin). That it decodes is not checked here. */
  raw_tx: hex,
  /** A Clarity value. */
  raw_result: hex,
  /** `success`, `abort_by_response`, `abort_by_post_condition`, `problematic_skipped`, or something newer. */
  status: string,
  contract_interface: contractInterface,
  burnchain_op: optional(burnchainOp),
  execution_cost: executionCost,
  microblock_hash: optional(hash32),
  microblock_parent_hash: optional(hash32),
  microblock_sequence: optional(nonNegativeInteger),
  /** Free text, NUL included. */
  vm_error: optional(string),
});

/** A transaction of `/new_block` or `/new_microblocks` (docs/spec/ingestion.md#transaction-messages). */
export type NodeTransaction = ReaderResult<typeof transactionFields>;

export const nodeTransaction: Reader<NodeTransaction> = checked(
  transactionFields,
  'a transaction with all three microblock fields or none',
  tx =>
    (tx.microblock_hash === null) === (tx.microblock_sequence === null) &&
    (tx.microblock_hash === null) === (tx.microblock_parent_hash === null),
);
