import { isJsonObject, type JsonObject, type JsonValue } from '../../base/lib/json.ts';
import { isList } from './differences.ts';

/** Kinds of values that parameters take. */
export type ValueKind =
  | 'block height'
  | 'block hash'
  | 'block time'
  | 'burn block height'
  | 'burn block hash'
  | 'microblock hash'
  | 'tenure height'
  | 'transaction'
  | 'principal'
  | 'contract'
  | 'asset'
  | 'NFT value'
  | 'Bitcoin address'
  | 'cycle'
  | 'bond'
  | 'signer key'
  | 'name'
  | 'namespace'
  | 'zone file'
  | 'token id'
  | `cursor of ${string}`;

/** Values that belong together, as an object of a response and the question for it have them: a token and its asset, a cycle and its signers. */
export type Find = ReadonlyMap<ValueKind, readonly string[]>;

/** How many finds are kept of each kind; the oldest go. */
const MAX_FINDS = 2_000;

/** What responses have named so far. */
export class Finds {
  readonly #byKind = new Map<ValueKind, Find[]>();
  readonly #highest: { readonly block: number; readonly burn: number };

  /** @param highest heights that both servers have; higher ones are not requested */
  constructor(highest: { readonly block: number; readonly burn: number }) {
    this.#highest = highest;
  }

  /** Finds that have all of these kinds; if no find has, those that have the first kind. */
  having(kinds: readonly ValueKind[]): readonly Find[] {
    const [first] = kinds;
    const all = first === undefined ? [] : (this.#byKind.get(first) ?? []);
    const whole = all.filter(find => kinds.every(kind => find.has(kind)));
    return whole.length > 0 ? whole : all;
  }

  /** Takes in the finds of a response. @param asked the values of its parameters */
  add(operationId: string, body: JsonValue, asked: Find): void {
    this.#addValue(body, asked);
    const cursors = isJsonObject(body) ? CURSORS.flatMap(field => body[field] ?? []).map(String) : [];
    if (cursors.length > 0)
      this.#keep(new Map<ValueKind, readonly string[]>([...asked, [`cursor of ${operationId}`, cursors]]));
  }

  #addValue(value: JsonValue, outer: Find): void {
    if (isList(value)) for (const each of value) this.#addValue(each, outer);
    else if (isJsonObject(value)) this.#addObject(value, outer);
    else if (typeof value === 'string') this.#keep(merged(outer, valuesOfText(value)));
  }

  #addObject(object: JsonObject, outer: Find): void {
    const own = valuesOfObject(object);
    const find = merged(outer, own);
    if (this.#isAbove(own)) return;
    if (own.length > 0) this.#keep(find);
    for (const child of Object.values(object)) if (typeof child === 'object') this.#addValue(child, find);
  }

  #isAbove(values: readonly Value[]): boolean {
    return values.some(
      ([kind, value]) =>
        (kind === 'block height' && Number(value) > this.#highest.block) ||
        (kind === 'burn block height' && Number(value) > this.#highest.burn),
    );
  }

  #keep(find: Find): void {
    for (const kind of find.keys()) {
      const finds = this.#byKind.get(kind) ?? [];
      finds.push(find);
      if (finds.length > MAX_FINDS) finds.shift();
      this.#byKind.set(kind, finds);
    }
  }
}

const CURSORS = ['cursor', 'next_cursor', 'prev_cursor'];

type Value = readonly [kind: ValueKind, value: string];

function merged(outer: Find, own: readonly Value[]): Find {
  const find = new Map(outer);
  const fresh = new Set<ValueKind>();
  for (const [kind, value] of own) {
    find.set(kind, fresh.has(kind) ? [...(find.get(kind) ?? []), value] : [value]);
    fresh.add(kind);
  }
  return find;
}

/** Fields whose values can be recognised only by their names. */
const FIELDS: Readonly<Record<string, ValueKind>> = {
  height: 'block height',
  block_height: 'block height',
  hash: 'block hash',
  block_hash: 'block hash',
  index_block_hash: 'block hash',
  block_time: 'block time',
  burn_block_height: 'burn block height',
  burn_block_hash: 'burn block hash',
  microblock_hash: 'microblock hash',
  tenure_height: 'tenure height',
  tx_id: 'transaction',
  cycle_number: 'cycle',
  bond_index: 'bond',
  signing_key: 'signer key',
  zonefile_hash: 'zone file',
  token_id: 'token id',
};

function valuesOfObject(object: JsonObject): Value[] {
  const isBurnBlock = object.burn_block_hash !== undefined && object.index_block_hash === undefined;
  return Object.entries(object).flatMap(([field, value]): Value[] => {
    const kind = FIELDS[field];
    const isEmpty = value === null || value === '' || value === '0x';
    if (kind !== undefined && !isEmpty && (typeof value === 'string' || typeof value === 'number'))
      return isBurnBlock && kind === 'block hash' ? [] : [[kind, String(value)]];
    if (field === 'value' && isJsonObject(value) && typeof value.hex === 'string') return [['NFT value', value.hex]];
    // Names of namespaces are plain words: only their own list identifies them.
    if (field === 'namespaces' && isList(value)) return value.map(word => ['namespace', String(word)]);
    return typeof value === 'string' ? valuesOfText(value) : [];
  });
}

const ADDRESS = /^S[0-9A-HJKMNP-TV-Z]{28,41}$/;
const CONTRACT = /^S[0-9A-HJKMNP-TV-Z]{28,41}\.[a-zA-Z][\w-]{0,127}$/;
const BITCOIN_ADDRESS = /^(?:(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{20,80}|[123mn][1-9A-HJ-NP-Za-km-z]{25,34})$/;
const NAME = /^[a-z0-9_-]{1,48}\.[a-z0-9_-]{1,20}$/;

/** What a text can only be. */
function valuesOfText(text: string): Value[] {
  if (text.length > 300) return [];
  const [contract = '', asset] = text.split('::');
  if (CONTRACT.test(contract)) {
    const values: Value[] = [
      ['contract', contract],
      ['principal', contract],
    ];
    return asset === undefined ? values : [...values, ['asset', text]];
  }
  if (ADDRESS.test(text)) return [['principal', text]];
  if (BITCOIN_ADDRESS.test(text)) return [['Bitcoin address', text]];
  if (NAME.test(text)) return [['name', text]];
  return [];
}
