import { isValidPrincipal } from '../../src/base/codec/index.ts';

/**
 * The principal that a text names (docs/spec/http.md#principals): letters of an address in any case, O for 0, I and L for 1; a
 * contract name as it is. Undefined where it names none.
 */
export function principalOf(text: string): string | undefined {
  if (!isValidPrincipal(text)) return undefined;
  const end = text.includes('.') ? text.indexOf('.') : text.length;
  const address = text.slice(0, end).toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return address + text.slice(end);
}

/** Whether one of these parameters is given and names none. */
export const isUnclear = (query: URLSearchParams, names: readonly string[]): boolean =>
  names.some(name => query.has(name) && principalOf(query.get(name) ?? '') === undefined);

/** `<contract id>::<asset name>` with the contract spelled so. */
export function assetOf(text: string): string | undefined {
  const [, contract = '', name] = /^(.*?)(::.+)$/.exec(text) ?? [];
  const id = principalOf(contract);
  return id === undefined ? undefined : `${id}${name}`;
}
