import type { Entry, Parameter } from '../../api/http/openapi/document.ts';
import { type Find, type Finds, pick, type Random, type ValueKind } from './finds.ts';

/** A request that is sent to both servers. */
export interface Question {
  readonly operationId: string;
  /** With its query. */
  readonly path: string;
  /** The values of its parameters. */
  readonly asked: Find;
  /** The span of heights of its values, if they have one. */
  readonly span: number | undefined;
}

/** The kind of value that a parameter of this name takes, unless its path decides otherwise. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  timestamp: 'block time',
  tenure_height: 'tenure height',
  address: 'principal',
  principal: 'principal',
  pool_principal: 'principal',
  sender_address: 'principal',
  recipient_address: 'principal',
  from_address: 'principal',
  to_address: 'principal',
  burnchain_address: 'Bitcoin address',
  tx_id: 'transaction',
  contract_id: 'contract',
  asset_identifier: 'asset',
  asset_identifiers: 'asset',
  token: 'asset',
  value: 'NFT value',
  cycle_number: 'cycle',
  bond_index: 'bond',
  signer_key: 'signer key',
  height: 'block height',
  until_block: 'block height',
  block_height: 'block height',
  block_hash: 'block hash',
  burn_block_height: 'burn block height',
  burn_block_hash: 'burn block hash',
  name: 'name',
  tld: 'namespace',
  zoneFileHash: 'zone file',
  token_id: 'token id',
};

/** Parameters whose example is valid on every chain. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(['trait_abi', 'blockchain', 'nonce', 'function_name', 'locale']);

/** Chance that a request has an optional parameter. */
const CHANCE = 0.25;
/** Parameters that other servers ignore: they respond with a page as of their tip (docs/past.md). */
const ONLY_HERE: ReadonlySet<string> = new Set(['at', 'format']);
const MAX_LIMIT = 20;
const MAX_OFFSET = 40;

/**
 * A question of a route, about what responses have named.
 * @returns undefined if no known find fits a parameter
 */
export function questionOf({ path, operation }: Entry, finds: Finds, random: Random): Question | undefined {
  const { operationId, parameters = [] } = operation;
  const chosen = parameters
    .filter(({ name, required }) => !ONLY_HERE.has(name) && (required || random() < CHANCE))
    .map(parameter => ({ parameter, kind: kindOf(path, operationId, parameter.name, random) }));
  const kinds = chosen.flatMap(({ parameter, kind }) => (parameter.required && kind !== undefined ? [kind] : []));
  const find = finds.choose(kinds, random) ?? new Map();
  const asked = new Map<ValueKind, readonly string[]>();
  const query: string[] = [];
  let filled = path;
  for (const { parameter, kind } of chosen) {
    const value = kind === undefined ? ownValue(parameter, random) : valueFor(kind, find, finds, random);
    if (value === undefined && parameter.required) return undefined;
    if (value === undefined) continue;
    if (kind !== undefined) asked.set(kind, [value]);
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else query.push(`${parameter.name}=${encodeURIComponent(value)}`);
  }
  const span = kinds.length > 0 ? finds.spanOf(find) : undefined;
  return { operationId, path: query.length > 0 ? `${filled}?${query.join('&')}` : filled, asked, span };
}

const HASH = /^0x[0-9a-f]{40,}$/;

/**
 * The same request in other forms that clients may use: for an empty page, for the current cycle, with hashes in upper case or without `0x`.
 * Releases of the software differ in how they read these.
 */
export function variantsOf({ operation }: Entry, { operationId, path, asked, span }: Question): Question[] {
  const paths: string[] = [];
  if (operation.parameters?.some(({ name }) => name === 'limit')) {
    const bare = path.replace(/([?&])limit=\d+&?/, '$1').replace(/[?&]$/, '');
    paths.push(`${bare}${bare.includes('?') ? '&' : '?'}limit=0`);
  }
  for (const [kind, [value = '']] of asked) {
    if (kind === 'cycle') paths.push(path.replace(new RegExp(`/${value}(?=[/?]|$)`), '/current'));
    if (HASH.test(value))
      paths.push(path.replace(value, value.slice(2)), path.replace(value, `0x${value.slice(2).toUpperCase()}`));
  }
  return paths.filter(other => other !== path).map(other => ({ operationId, path: other, asked, span }));
}

/** Paths take blocks and burn blocks by hash or by height, and searches by anything. */
function kindOf(path: string, operationId: string, name: string, random: Random): ValueKind | undefined {
  if (name === 'cursor') return `cursor of ${operationId}`;
  if (name === 'tx_id' && path.endsWith('/drop')) return 'dropped transaction';
  if (name === 'height_or_hash' && path.includes('/burn-blocks/'))
    return pick(['burn block hash', 'burn block height'], random);
  if (name === 'height_or_hash') return pick(['block hash', 'block height'], random);
  if (name === 'hash') return path.includes('/microblock/') ? 'microblock hash' : 'block hash';
  if (name === 'id' || name === 'q') return pick(['transaction', 'block hash', 'contract', 'principal'], random);
  if (name === 'address' && path.includes('/burnchain/')) return 'Bitcoin address';
  if (name === 'name' && path.startsWith('/metadata')) return undefined;
  return KINDS[name];
}

const valueFor = (kind: ValueKind, find: Find, finds: Finds, random: Random): string | undefined =>
  pick(find.get(kind) ?? [], random) ?? pick(finds.choose([kind], random)?.get(kind) ?? [], random);

/** The value of a parameter that does not depend on the chain. */
function ownValue({ name, schema, example }: Parameter, random: Random): string | undefined {
  if (name === 'limit') return String(between(1, Math.min(Number(schema.maximum ?? MAX_LIMIT), MAX_LIMIT), random));
  if (name === 'offset') return String(between(0, MAX_OFFSET, random));
  if (name === 'page') return String(between(0, 2, random));
  const words = schema.enum ?? schema.items?.enum;
  if (words !== undefined) return String(pick(words, random));
  if (schema.type === 'boolean') return String(random() < 0.5);
  return SAME_EVERYWHERE.has(name) && example !== undefined ? String(example) : undefined;
}

const between = (least: number, most: number, random: Random): number =>
  least + Math.floor(random() * (most - least + 1));
