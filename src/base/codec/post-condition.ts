import type { Result } from '../lib/result.ts';
import { type Cursor, type DecodeError, decodeWith } from './byte-cursor.ts';
import { readRepr } from './clarity/repr.ts';
import { readAddress } from './principal.ts';

export type PostConditionPrincipal =
  | { readonly kind: 'origin' }
  | { readonly kind: 'standard'; readonly address: string }
  | { readonly kind: 'contract'; readonly address: string; readonly contractName: string };

export interface AssetInfo {
  readonly contractAddress: string;
  readonly contractName: string;
  readonly assetName: string;
}

interface Condition<Kind extends string> {
  readonly kind: Kind;
  readonly principal: PostConditionPrincipal;
  /** The wire byte; of NFT and PoX conditions, codes that this version does not know are kept. */
  readonly conditionCode: number;
}

/** A promise about what a transaction may move (SIP-005, SIP-040); amounts in the smallest unit of the asset. */
export type PostCondition =
  | (Condition<'stx' | 'staking'> & { readonly amount: bigint })
  | (Condition<'fungible'> & { readonly asset: AssetInfo; readonly amount: bigint })
  | (Condition<'non_fungible'> & {
      readonly asset: AssetInfo;
      readonly assetValue: { readonly hex: string; readonly repr: string };
    })
  | Condition<'pox'>;

/** Kind, principal of the origin, and code: nothing is shorter. */
const SMALLEST_CONDITION = 3;

/** Mode byte, count and conditions, as stored apart from their transaction (docs/spec/codec.md#transactions). */
export function decodePostConditions(
  bytes: Uint8Array,
): Result<{ readonly mode: number; readonly conditions: readonly PostCondition[] }, DecodeError> {
  return decodeWith(bytes, cursor => ({ mode: readPostConditionMode(cursor), conditions: readPostConditions(cursor) }));
}

/** Reads the mode byte. Unknown modes are kept: the chain gains modes before the index does. Zero never was one. */
export function readPostConditionMode(cursor: Cursor): number {
  const mode = cursor.u8();
  if (mode === 0) cursor.fail('invalid_field', 'post-condition mode 0', cursor.offset - 1);
  return mode;
}

/** Reads a u32 count and the conditions (docs/spec/codec.md#post-conditions). */
export function readPostConditions(cursor: Cursor): PostCondition[] {
  const count = cursor.count(SMALLEST_CONDITION);
  const conditions: PostCondition[] = [];
  for (let i = 0; i < count; i++) conditions.push(readPostCondition(cursor));
  return conditions;
}

function readPostCondition(cursor: Cursor): PostCondition {
  const kind = cursor.u8();
  if (kind > 4) cursor.fail('invalid_prefix', `post-condition kind ${kind}`, cursor.offset - 1);
  const principal = readConditionPrincipal(cursor);
  switch (kind) {
    case 0:
      return { kind: 'stx', principal, conditionCode: readComparison(cursor), amount: cursor.u64() };
    case 1:
      return {
        kind: 'fungible',
        principal,
        asset: readAsset(cursor),
        conditionCode: readComparison(cursor),
        amount: cursor.u64(),
      };
    case 2:
      return {
        kind: 'non_fungible',
        principal,
        asset: readAsset(cursor),
        assetValue: readAssetValue(cursor),
        conditionCode: cursor.u8(),
      };
    case 3:
      return { kind: 'staking', principal, conditionCode: readComparison(cursor), amount: cursor.u64() };
    default:
      return { kind: 'pox', principal, conditionCode: cursor.u8() };
  }
}

/** Amounts can be compared in five ways only, so another code is an error; codes of other kinds have grown and are kept. */
function readComparison(cursor: Cursor): number {
  const code = cursor.u8();
  if (code < 1 || code > 5) cursor.fail('invalid_field', `condition code ${code}`, cursor.offset - 1);
  return code;
}

function readConditionPrincipal(cursor: Cursor): PostConditionPrincipal {
  const kind = cursor.u8();
  switch (kind) {
    case 1:
      return { kind: 'origin' };
    case 2:
      return { kind: 'standard', address: readAddress(cursor) };
    case 3:
      return { kind: 'contract', address: readAddress(cursor), contractName: cursor.contractName() };
    default:
      return cursor.fail('invalid_prefix', `post-condition principal ${kind}`, cursor.offset - 1);
  }
}

function readAsset(cursor: Cursor): AssetInfo {
  return {
    contractAddress: readAddress(cursor),
    contractName: cursor.contractName(),
    assetName: cursor.clarityName(),
  };
}

function readAssetValue(cursor: Cursor): { hex: string; repr: string } {
  const start = cursor.offset;
  const repr = readRepr(cursor, 1);
  return { hex: cursor.hexBetween(start, cursor.offset), repr };
}
