import {
  type ClarityTuple,
  type ClarityValue,
  decodeClarityValue,
  tupleMember,
} from '../../../src/base/codec/index.ts';
import { fromHex } from '../../../src/base/lib/hex.ts';

/** Of either network. */
export const isNameContract = (id: string): boolean =>
  id === 'SP000000000000000000002Q6VF78.bns' || id === 'ST000000000000000000002AMW42H.bns';

/** `label.namespace` of a tuple that has both. */
export function nameOf(tuple: ClarityTuple | undefined): string | undefined {
  const [name, namespace] = [member(tuple, 'name'), member(tuple, 'namespace')];
  if (name?.type !== 'buffer' || namespace?.type !== 'buffer') return undefined;
  return `${text(name.value)}.${text(namespace.value)}`;
}

export function tupleOf(hex: string): ClarityTuple | undefined {
  const value = clarityOf(hex);
  return value?.type === 'tuple' ? value : undefined;
}

export const member = (tuple: ClarityTuple | undefined, name: string): ClarityValue | undefined =>
  tuple && tupleMember(tuple, name);

export function memberTuple(tuple: ClarityTuple | undefined, name: string): ClarityTuple | undefined {
  const value = member(tuple, name);
  return value?.type === 'tuple' ? value : undefined;
}

export function clarityOf(hex: string): ClarityValue | undefined {
  const decoded = decodeClarityValue(fromHex(hex) ?? new Uint8Array());
  return decoded.ok ? decoded.value : undefined;
}

/** UTF-8 without NUL. */
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString().replaceAll('\0', '');
