import { BLOCK_NAME_FORMS, BLOCK_NAME_PATTERN } from '../../base/lib/block-name.ts';
import { type MinisignKey, parseMinisignKey } from '../../base/lib/minisign.ts';
import { fail, ok } from '../../base/lib/result.ts';
import { parseSubnet, type Subnet } from '../../base/net/client-address.ts';
import { allowedRoots } from '../../base/net/destinations.ts';
import type { PoxCycles } from '../../ingest/chain/pox-cycles.ts';
import type { Parse } from './option-spec.ts';

/** Parsers of option values, for the tables of options. */

export const anyText: Parse<string> = value => ok(value);

export const minisignKey: Parse<MinisignKey> = value => {
  const key = parseMinisignKey(value);
  return key === undefined ? fail('the second line of a public key file of minisign') : ok(key);
};

export function wholeNumber(least: number, most: number): Parse<number> {
  return value => {
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? ok(number) : fail(`a whole number from ${least} to ${most}`);
  };
}

export function decimalNumber(least: number, most: number): Parse<number> {
  return value => {
    const number = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? ok(number) : fail(`a number from ${least} to ${most}`);
  };
}

export const port = wholeNumber(0, 65535);

export function choice<const T extends string>(...choices: readonly T[]): Parse<T> {
  return value => {
    const choice = choices.find(each => each === value);
    return choice === undefined ? fail(`one of ${choices.join(', ')}`) : ok(choice);
  };
}

/** Some of these, separated by commas, each once. */
export function choices<const T extends string>(...allowed: readonly T[]): Parse<readonly T[]> {
  return value => {
    const given = list(value);
    const known = allowed.filter(each => given.ok && given.value.includes(each));
    return given.ok && known.length > 0 && given.value.every(each => allowed.some(name => name === each))
      ? ok(known)
      : fail(`one or more of ${allowed.join(', ')}, separated by commas`);
  };
}

export const onOff: Parse<boolean> = value =>
  value === 'on' || value === 'off' ? ok(value === 'on') : fail('on or off');

/** `off` is read as undefined. */
export function orOff<T>(parse: Parse<T>): Parse<T | undefined> {
  return value => {
    if (value === 'off') return ok(undefined);
    const parsed = parse(value);
    return parsed.ok ? parsed : fail(`${parsed.error}, or off`);
  };
}

/** Values separated by commas, with or without blanks. */
export const list: Parse<readonly string[]> = value =>
  ok(
    value
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  );

/** Archives that a server loads: it reads them again after a restart, which standard input does not allow. `none` is read as an empty list. */
export const archives: Parse<readonly string[]> = value => {
  const given = list(value);
  if (!given.ok || (given.value.length === 1 && given.value[0] === 'none')) return ok([]);
  const isArchive = (each: string) => each !== '-' && each !== 'none' && !/^postgres(ql)?:/.test(each);
  return given.value.length > 0 && given.value.every(isArchive)
    ? ok([...new Set(given.value)])
    : fail('files or http:// or https:// URLs of archives, separated by commas, or none');
};

/** Hosts from which the program may fetch although they are private: see DestinationRules. */
export const hosts: Parse<readonly string[]> = value => {
  const entries = list(value);
  return !entries.ok || entries.value.every(isHost)
    ? entries
    : fail('hosts, each as host, host:port, or an origin that begins with http:// or https://, separated by commas');
};

export const webUrl: Parse<string> = value =>
  isWebUrl(value) ? ok(value) : fail('a URL that begins with http:// or https://');

export const webUrls: Parse<readonly string[]> = value => {
  const urls = list(value);
  return !urls.ok || urls.value.every(isWebUrl) ? urls : fail('URLs that begin with http:// or https://');
};

export const subnets: Parse<readonly Subnet[]> = value => {
  const texts = list(value);
  const parsed = texts.ok ? texts.value.map(parseSubnet) : [];
  const valid = parsed.filter(network => network !== undefined);
  return valid.length > 0 && valid.length === parsed.length
    ? ok(valid)
    : fail('networks such as 10.0.0.0/8 or fd00::/8, or single addresses, separated by commas');
};

export const postgresUrls: Parse<readonly string[]> = value => {
  const urls = list(value);
  const all = urls.ok && urls.value.every(url => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url));
  return all ? urls : fail('URLs of the form postgres://user:password@host:5432/name');
};

export function matching(pattern: RegExp, expected: string): Parse<string> {
  return value => (pattern.test(value) ? ok(value) : fail(expected));
}

const isHost = (entry: string): boolean => {
  const roots = allowedRoots(entry).map(root => new URL(root).hostname);
  return (
    (!entry.includes('://') || isWebUrl(entry)) &&
    roots.length > 0 &&
    roots.every(host => /^([\w.-]+|\[[\da-f:.]+\])$/.test(host))
  );
};

const isWebUrl = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

/** Three numbers: `666050:2100:100`. */
export const poxCycles: Parse<PoxCycles> = value => {
  const [first = 0, length = 0, prepare = 0] = (/^(\d{1,9}):(\d{1,9}):(\d{1,9})$/.exec(value)?.slice(1) ?? []).map(
    Number,
  );
  return 0 < prepare && prepare < length
    ? ok({ first, length, prepare })
    : fail('three numbers such as 666050:2100:100, the last less than the second and above 0');
};

/** A block of the chain: see docs/past.md. */
export const blockName: Parse<string> = matching(new RegExp(BLOCK_NAME_PATTERN), BLOCK_NAME_FORMS);
