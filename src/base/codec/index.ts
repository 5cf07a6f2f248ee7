/** Stacks wire formats: bytes in, plain values out. Pure, and total: malformed bytes give error values. */
export * from './abi.ts';
export * from './bitcoin-address.ts';
export { type DecodeError, type DecodeErrorCode, MAX_DEPTH, MAX_INPUT_BYTES } from './byte-cursor.ts';
export type { StacksAddress } from './c32.ts';
export { type ClarityArg, decodeClarityArgs } from './clarity/args.ts';
export { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from './clarity/decode.ts';
export * from './clarity/encode.ts';
export { clarityRepr } from './clarity/repr.ts';
export { clarityTypeName } from './clarity/type-name.ts';
export { transactionId } from './hash.ts';
export * from './names.ts';
export {
  type AssetInfo,
  decodePostConditions,
  type PostCondition,
  type PostConditionPrincipal,
} from './post-condition.ts';
export * from './post-condition-api.ts';
export { bitcoinToPoxAddress, encodePoxAddress, stacksToPoxAddress } from './pox-address.ts';
export * from './pox-event.ts';
export {
  decodeAddress,
  encodeAddress,
  isValidPrincipal,
  isValidStandardAddress,
  type Principal,
  parsePrincipal,
} from './principal.ts';
export { signerBitvec } from './signer-bitvec.ts';
export { type DecodedTransaction as Transaction, decodeTransaction } from './transaction/decode.ts';
export type {
  CoinbasePayload,
  ContractCallPayload,
  Payload,
  PoisonMicroblockPayload,
  SmartContractPayload,
  TenureChangePayload,
  TokenTransferPayload,
} from './transaction/payload.ts';
export type {
  AuthField,
  MultiSigCondition,
  SingleSigCondition,
  SpendingCondition,
} from './transaction/spending-condition.ts';
