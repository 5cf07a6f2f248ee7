import type { Result } from '../../lib/result.ts';
import { Cursor, type DecodeError, decodeWith } from '../byte-cursor.ts';
import { readRepr } from './repr.ts';
import { readTypeName } from './type-name.ts';

/** One argument of a contract call. */
export interface ClarityArg {
  /** Exactly its bytes. */
  readonly hex: string;
  readonly repr: string;
  /** Type of the value (docs/spec/codec.md#type-of-a-value), for when the contract interface is unknown. Computed when read. */
  readonly typeName: string;
}

/** The arguments of a contract call from their stored form: u32 count, then the values (docs/spec/codec.md#function-arguments). */
export function decodeClarityArgs(bytes: Uint8Array): Result<readonly ClarityArg[], DecodeError> {
  return decodeWith(bytes, readClarityArgs);
}

export function readClarityArgs(cursor: Cursor): ClarityArg[] {
  const count = cursor.count(1);
  const args: ClarityArg[] = [];
  for (let i = 0; i < count; i++) args.push(readClarityArg(cursor));
  return args;
}

function readClarityArg(cursor: Cursor): ClarityArg {
  const start = cursor.offset;
  const repr = readRepr(cursor, 1);
  return new DecodedArg(cursor.hexBetween(start, cursor.offset), repr);
}

/** Most arguments belong to a contract whose interface is known, so their type text is worked out only on demand. */
class DecodedArg implements ClarityArg {
  readonly hex: string;
  readonly repr: string;

  constructor(hex: string, repr: string) {
    this.hex = hex;
    this.repr = repr;
  }

  get typeName(): string {
    return readTypeName(new Cursor(Buffer.from(this.hex.slice(2), 'hex')), 1); // cannot fail: its repr was read
  }
}
