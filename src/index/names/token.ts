import {
  type ClarityTuple,
  type ClarityValue,
  encodeClarityBuffer,
  encodeClarityTuple,
  tupleMember,
} from '../../base/codec/index.ts';

/** A name as BNS version 1 identifies it. */
export interface NameToken {
  /** The value of its NFT, serialised: the tuple `{name, namespace}`. */
  readonly bytes: Uint8Array;
  /** As shown: `label.namespace`. */
  readonly text: string;
  readonly namespace: Uint8Array;
}

/** Bounds of the contract: `(buff 48)` and `(buff 20)`. */
const MAX_NAME = 48;
export const MAX_NAMESPACE = 20;

/** The name that a tuple with the members `name` and `namespace` identifies; undefined for an invalid name. */
export function nameToken(tuple: ClarityTuple): NameToken | undefined {
  return nameTokenOf(tupleMember(tuple, 'name'), tupleMember(tuple, 'namespace'));
}

export function nameTokenOf(
  name: ClarityValue | undefined,
  namespace: ClarityValue | undefined,
): NameToken | undefined {
  if (name?.type !== 'buffer' || name.value.length > MAX_NAME) return undefined;
  if (namespace?.type !== 'buffer' || namespace.value.length > MAX_NAMESPACE) return undefined;
  return {
    bytes: tokenBytes(name.value, namespace.value),
    text: `${nameText(name.value)}.${nameText(namespace.value)}`,
    namespace: namespace.value,
  };
}

export const tokenBytes = (name: Uint8Array, namespace: Uint8Array): Uint8Array =>
  encodeClarityTuple({ name: encodeClarityBuffer(name), namespace: encodeClarityBuffer(namespace) });

/** The text without NUL, which no database can store in a text. */
export const nameText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8').replaceAll('\0', '');
