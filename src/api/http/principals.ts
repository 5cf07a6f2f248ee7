/**
 * Formats of texts in requests, principals above all. Only this file parses them: a parameter whose schema has one of
 * the formats reaches its handler in the spelling of the index, and an invalid text is a 400, on every route
 * (docs/spec/http.md#principals).
 */
import { type Principal, parsePrincipal } from '../../base/codec/index.ts';
import { BoundedCache } from '../../base/lib/bounded-cache.ts';
import { fromHex } from '../../base/lib/hex.ts';

interface Format {
  /** The name of the format in error messages. */
  readonly kind: string;
  /** A pattern that every text of this format fits; it does not check the checksum. */
  readonly pattern: string;
  /** The text in the spelling of the index; undefined for an invalid text. */
  readonly spell: (text: string) => string | undefined;
}

const ADDRESS = '[Ss][0-9A-TV-Za-tv-z]{27,40}';
const NAME = '[a-zA-Z][a-zA-Z0-9_-]{0,127}';

const spelled = ({ address, contractName }: Principal): string =>
  contractName === null ? address : `${address}.${contractName}`;

/**
 * Recently used principals in the spelling of the index. A parameter is parsed twice, before its schema is checked and by that check, and
 * a checksum takes two digests. The texts of requests are no keys: they may be slices of long URLs, which they would keep in memory.
 */
const known = new BoundedCache<string, string>(5000);

/** The principal in a text, in the spelling of the index; undefined for an invalid text. */
export function spellPrincipal(text: string): string | undefined {
  const before = known.get(text);
  if (before !== undefined) return before;
  const principal = parsePrincipal(text);
  if (principal === undefined) return undefined;
  const spelling = spelled(principal);
  known.set(spelling, spelling);
  return spelling;
}

/** The beginning of an address or contract id in that spelling, without validation. */
export function spellBeginning(text: string): string {
  const [address = '', ...name] = text.split('.');
  return [address.toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1'), ...name].join('.');
}

/** By the name of the format in a JSON schema. */
export const FORMATS = {
  'stacks-principal': {
    kind: 'an address or the id of a contract',
    pattern: `^${ADDRESS}(\\.${NAME})?$`,
    spell: spellPrincipal,
  },
  'stacks-address': {
    kind: 'an address',
    pattern: `^${ADDRESS}$`,
    spell: text => (text.includes('.') ? undefined : spellPrincipal(text)),
  },
  'stacks-contract': {
    kind: 'the id of a contract',
    pattern: `^${ADDRESS}\\.${NAME}$`,
    spell: text => (text.includes('.') ? spellPrincipal(text) : undefined),
  },
  'stacks-asset': {
    kind: 'a contract and the name of its asset (`<contract id>::<asset name>`)',
    pattern: `^${ADDRESS}(\\.${NAME})?::.+$`,
    spell: text => {
      const at = text.indexOf('::');
      const contract = at < 0 ? undefined : spellPrincipal(text.slice(0, at));
      return contract === undefined || at + 2 === text.length ? undefined : contract + text.slice(at);
    },
  },
  'stacks-token': {
    kind: 'the id of a contract, perhaps with a colon and the number of a token',
    pattern: `^${ADDRESS}\\.${NAME}(:(0|[1-9][0-9]{0,38}))?$`,
    spell: text => {
      const [id = '', ...number] = text.split(':');
      const contract = id.includes('.') ? spellPrincipal(id) : undefined;
      return contract === undefined || !/^(0|[1-9][0-9]{0,38})?$/.test(number.join(':'))
        ? undefined
        : [contract, ...number].join(':');
    },
  },
  'hex-bytes': {
    kind: 'hex digits',
    pattern: '^(0[xX])?([0-9a-fA-F]{2})*$',
    spell: text => (fromHex(text) ? text : undefined),
  },
} as const satisfies Readonly<Record<string, Format>>;

/**
 * An asset identifier in the spelling of the index; any other text unchanged. For members of a list, which validation does
 * not convert.
 */
export const spellAsset = (text: string): string => FORMATS['stacks-asset'].spell(text) ?? text;

export type FormatName = keyof typeof FORMATS;

/** The format of this name, if it is one of these. */
export const formatOf = (name: string | undefined): Format | undefined =>
  name !== undefined && Object.hasOwn(FORMATS, name) ? FORMATS[name as FormatName] : undefined;

/** The checks of ajv. By then, values with a format are in the spelling of the index. */
export const FORMAT_CHECKS = Object.fromEntries(
  Object.entries(FORMATS).map(([name, { spell }]) => [name, (text: string) => spell(text) !== undefined]),
);
