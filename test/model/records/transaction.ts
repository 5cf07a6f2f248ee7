import {
  abiTypeText,
  anchorModeName,
  clarityRepr,
  findFunction,
  functionSignature,
  postConditionModeName,
  postConditionToApi,
  type Transaction,
  type Payload as TxPayload,
  tenureCauseName,
} from '../../../src/base/codec/index.ts';
import { fromHex } from '../../../src/base/lib/hex.ts';
import { isoTime } from '../../../src/base/lib/time.ts';
import { everMined, everSeen, preferred } from '../everything.ts';
import { feeOf } from '../mempool.ts';
import { sequenceOf } from '../transactions.ts';
import type { MempoolTx, Payload, Tx, World } from '../world.ts';
import { costs } from './block.ts';

interface Options {
  readonly withoutArgs?: boolean;
}

/** A confirmed transaction as every list shows it (docs/spec/transactions.md#confirmed-transactions). */
export function transactionRecord(world: World, tx: Tx, options: Options = {}): Record<string, unknown> {
  const { block, payload } = tx;
  const blockTime = block.payload.block_time || block.burnTime;
  const parentTime = block.payload.parent_burn_block_timestamp;
  return {
    ...common(tx.txId, tx.decoded),
    block_hash: block.hash,
    block_height: block.height,
    block_time: blockTime,
    block_time_iso: isoTime(blockTime),
    burn_block_time: block.burnTime,
    burn_block_height: block.burnHeight,
    burn_block_time_iso: isoTime(block.burnTime),
    parent_burn_block_time: parentTime,
    parent_burn_block_time_iso: isoTime(parentTime),
    canonical: true,
    tx_index: tx.index,
    tx_status: payload.status,
    tx_result: clarity(payload.raw_result),
    event_count: tx.events.length,
    parent_block_hash: block.payload.parent_block_hash,
    is_unanchored: block.hash === '0x',
    microblock_hash: tx.microblock?.hash ?? '0x',
    microblock_sequence: sequenceOf(tx),
    microblock_canonical: true,
    ...costs(payload.execution_cost),
    vm_error: payload.vm_error?.replaceAll('\0', '') ?? null,
    events: [],
    ...specific(world, tx.decoded, everMined(world), options),
    ...sponsor(tx.decoded),
  };
}

/**
 * A transaction of the mempool (docs/spec/transactions.md#pending-transactions). A contract that it calls is known where getContractByIdV1
 * knows it: also of a microblock alone.
 */
export function mempoolRecord(world: World, tx: MempoolTx, options: Options = {}): Record<string, unknown> {
  return {
    ...common(tx.txId, tx.decoded),
    tx_status: tx.status === 'mined' ? 'pending' : tx.status,
    replaced_by_tx_id: tx.replacedBy,
    receipt_time: tx.receiptTime,
    receipt_time_iso: isoTime(tx.receiptTime),
    ...specific(world, tx.decoded, everSeen(world), options),
    ...sponsor(tx.decoded),
  };
}

export const clarity = (hex: string): { hex: string; repr: string } => {
  const repr = clarityRepr(fromHex(hex) ?? new Uint8Array());
  return { hex, repr: repr.ok ? repr.value : '' };
};

const common = (txId: string, tx: Transaction) => ({
  tx_id: txId,
  nonce: Number(tx.origin.nonce),
  fee_rate: String(feeOf(tx)),
  sender_address: tx.origin.address,
  sponsored: tx.sponsor !== null,
  post_condition_mode: postConditionModeName(tx.postConditionMode),
  post_conditions: tx.postConditions.map(postConditionToApi),
  anchor_mode: anchorModeName(tx.anchorMode),
});

const sponsor = ({ sponsor: by }: Transaction) =>
  by ? { sponsor_nonce: Number(by.nonce), sponsor_address: by.address } : {};

/** The name of its kind and the object of that name (docs/spec/transactions.md#variants). `deployments` are among these transactions. */
function specific(
  world: World,
  { origin, payload }: Transaction,
  deployments: readonly Tx[],
  options: Options,
): Record<string, unknown> {
  const tx_type = payload.kind;
  switch (payload.kind) {
    case 'token_transfer': {
      const { recipient, amount, memo } = payload;
      return { tx_type, token_transfer: { recipient_address: recipient, amount: String(amount), memo } };
    }
    case 'smart_contract': {
      const contract_id = `${origin.address}.${payload.name}`;
      const source_code = payload.source.replaceAll('\0', '');
      return { tx_type, smart_contract: { clarity_version: payload.clarityVersion, contract_id, source_code } };
    }
    case 'contract_call':
      return {
        tx_type,
        contract_call: call(
          payload,
          findFunction(interfaceOf(world, payload.contractId, deployments), payload.functionName),
          options,
        ),
      };
    case 'poison_microblock': {
      const { header1, header2 } = payload;
      return { tx_type, poison_microblock: { microblock_header_1: header1, microblock_header_2: header2 } };
    }
    case 'coinbase': {
      const { data, altRecipient, vrfProof } = payload;
      const proof = vrfProof === null ? {} : { vrf_proof: vrfProof };
      return { tx_type, coinbase_payload: { data, alt_recipient: altRecipient, ...proof } };
    }
    case 'tenure_change':
      return {
        tx_type,
        tenure_change_payload: {
          tenure_consensus_hash: payload.tenureConsensusHash,
          prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
          burn_view_consensus_hash: payload.burnViewConsensusHash,
          previous_tenure_end: payload.previousTenureEnd,
          previous_tenure_blocks: payload.previousTenureBlocks,
          cause: tenureCauseName(payload.cause),
          pubkey_hash: payload.publicKeyHash,
        },
      };
    default:
      return payload satisfies never;
  }
}

type Call = Extract<TxPayload, { kind: 'contract_call' }>;

/** With the names and types of the interface of the contract, where that is known and has the function. */
function call({ contractId, functionName, args }: Call, fn: ReturnType<typeof findFunction>, { withoutArgs }: Options) {
  const function_args = args.map(({ hex, repr, typeName }, i) => {
    const declared = fn?.args[i];
    const type = declared && abiTypeText(declared.type);
    return { hex, repr, name: declared?.name ?? '', type: type ?? typeName };
  });
  return {
    contract_id: contractId,
    function_name: functionName,
    function_signature: fn ? functionSignature(fn) : '',
    ...(!withoutArgs && { function_args }),
  };
}

/**
 * Of several deployments one with an interface, of those a canonical one, else that of the highest block
 * (docs/spec/transactions.md#variants).
 */
function interfaceOf(world: World, contractId: string, deployments: readonly Tx[]): Payload {
  const rows = deployments.filter(({ decoded: { origin, payload }, payload: { contract_interface, contract_abi } }) => {
    const deploys = payload.kind === 'smart_contract' && `${origin.address}.${payload.name}` === contractId;
    return deploys && (contract_interface ?? contract_abi);
  });
  const { payload } = preferred(world, rows) ?? {};
  return payload?.contract_interface ?? payload?.contract_abi;
}
