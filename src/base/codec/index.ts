/** Stacks wire formats: bytes in, plain values out. Pure, and total: malformed bytes give error values. */
export * from './abi.ts';
export * from './bitcoin-address.ts';
export { type ClarityArg, decodeClarityArgs } from './clarity/args.ts';
export { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from './clarity/decode.ts';
export * from './clarity/encode.ts';
export { decodeShortTexts } from './clarity/members.ts';
export { clarityRepr } from './clarity/repr.ts';
export { clarityTypeName } from './clarity/type-name.ts';
export { transactionId } from './hash.ts';
export * from './nakamoto-block.ts';
export * from './names.ts';
export {
  decodePostConditions,
  type PostCondition,
} from './post-condition.ts';
export * from './post-condition-api.ts';
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
export type { Payload } from './transaction/payload.ts';
export type {
  AuthField,
  SpendingCondition,
} from './transaction/spending-condition.ts';
