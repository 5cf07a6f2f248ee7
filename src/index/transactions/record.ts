/** Makes the stored form of a transaction from its bytes and its block. */
import {
  abiTypeText,
  anchorModeName,
  clarityRepr,
  functionSignature,
  postConditionModeName,
  postConditionToApi,
  type Transaction,
  tenureCauseName,
} from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import {
  ANCHORED_SEQUENCE,
  type BlockFacts,
  shownTime,
  type TransactionFacts,
} from '../../ingest/chain/block-facts.ts';
import type { FunctionOf } from '../contracts/functions.ts';
import type { StoredCall, StoredPayload, StoredTransaction, TransactionContent } from './stored.ts';

/** The fields of a block that its transactions show: made once per block. Times in Unix seconds. */
type TransactionContext = Pick<
  StoredTransaction,
  | 'blockHash'
  | 'blockHeight'
  | 'blockTime'
  | 'parentBlockHash'
  | 'burnBlockTime'
  | 'burnBlockHeight'
  | 'parentBurnBlockTime'
  | 'canonical'
>;

/** The context of a block's transactions. @param anchored false while only a microblock has them */
export const contextOf = (block: BlockFacts, anchored: boolean): TransactionContext => ({
  blockHash: anchored ? block.blockHash : '0x',
  blockHeight: block.height,
  blockTime: shownTime(block),
  parentBlockHash: block.parentBlockHash,
  burnBlockTime: anchored ? block.burnBlockTime : NO_BURN_BLOCK,
  burnBlockHeight: anchored ? block.burnBlockHeight : NO_BURN_BLOCK,
  parentBurnBlockTime: block.parentBurnBlockTime,
  canonical: true,
});

/** A transaction of a block. */
export const confirmedTransaction = (
  facts: TransactionFacts,
  context: TransactionContext,
  functionOf: FunctionOf,
): StoredTransaction => ({
  ...contentOf(facts.txId, facts.transaction, functionOf),
  ...context,
  ...(facts.ownTimes && {
    blockTime: facts.ownTimes.blockTime || context.blockTime,
    parentBurnBlockTime: facts.ownTimes.parentBurnBlockTime,
  }),
  txIndex: facts.txIndex,
  status: facts.status,
  result: { hex: facts.result, repr: reprOf(facts.result) },
  eventCount: facts.events.length,
  microblock: facts.microblock ?? { hash: '0x', sequence: ANCHORED_SEQUENCE },
  cost: facts.cost,
  vmError: facts.vmError,
});

/** The fields in the bytes of a transaction, with argument names from the interface. */
export const contentOf = (txId: string, tx: Transaction, functionOf: FunctionOf): TransactionContent => ({
  txId,
  nonce: Number(tx.origin.nonce),
  fee: String(feeOf(tx)),
  sender: tx.origin.address,
  sponsor: tx.sponsor && { address: tx.sponsor.address, nonce: Number(tx.sponsor.nonce) },
  postConditionMode: postConditionModeName(tx.postConditionMode),
  postConditions: tx.postConditions.map(postConditionToApi),
  anchorMode: anchorModeName(tx.anchorMode),
  payload: payloadOf(tx, functionOf),
});

function payloadOf(tx: Transaction, functionOf: FunctionOf): StoredPayload {
  const { payload } = tx;
  const { kind: type } = payload;
  switch (type) {
    case 'token_transfer':
      return { type, recipient: payload.recipient, amount: String(payload.amount), memo: payload.memo };
    case 'smart_contract': {
      const { clarityVersion, source } = payload;
      return { type, clarityVersion, contractId: namedContract(tx) ?? '', source };
    }
    case 'contract_call': {
      const { contractId, functionName } = payload;
      const args = payload.args.map(({ hex, repr, typeName }) => ({ hex, repr, name: '', type: typeName }));
      return nameArguments({ type, contractId, functionName, functionSignature: '', args }, functionOf);
    }
    case 'poison_microblock':
      return { type, header1: payload.header1, header2: payload.header2 };
    case 'coinbase':
      return { type, data: payload.data, altRecipient: payload.altRecipient, vrfProof: payload.vrfProof };
    case 'tenure_change':
      return {
        type,
        tenureConsensusHash: payload.tenureConsensusHash,
        previousTenureConsensusHash: payload.previousTenureConsensusHash,
        burnViewConsensusHash: payload.burnViewConsensusHash,
        previousTenureEnd: payload.previousTenureEnd,
        previousTenureBlocks: payload.previousTenureBlocks,
        cause: tenureCauseName(payload.cause),
        publicKeyHash: payload.publicKeyHash,
      };
    default:
      return payload satisfies never;
  }
}

/**
 * A call with the names and types of its arguments from the interface of its contract; without an interface, types follow from the
 * values (docs/spec/transactions.md#variants).
 */
export function nameArguments(call: StoredCall, functionOf: FunctionOf): StoredCall {
  const abi = functionOf(call.contractId, call.functionName);
  return {
    ...call,
    functionSignature: abi ? functionSignature(abi) : '',
    args: call.args.map(({ hex, repr, type }, i) => {
      const declared = abi?.args[i];
      return { hex, repr, name: declared?.name ?? '', type: declared ? abiTypeText(declared.type) : type };
    }),
  };
}

/** Time and height of the burn block of a transaction while only a microblock has it. */
export const NO_BURN_BLOCK = -1;

/** The contract that a transaction calls or deploys. */
export function namedContract({ payload, origin }: Transaction): string | null {
  if (payload.kind === 'contract_call') return payload.contractId;
  return payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : null;
}

/** The fee in micro-STX: the sponsor's if there is one. */
export const feeOf = (tx: Transaction): bigint => (tx.sponsor ?? tx.origin).fee;

/** The printed form of a Clarity value in hex; a value that does not decode is shown by its bytes. */
export function reprOf(hex: string): string {
  const repr = clarityRepr(fromHex(hex) ?? new Uint8Array());
  return repr.ok ? repr.value : hex;
}
