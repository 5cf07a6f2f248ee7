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
  | 'dropped transaction'
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

/** Values that belong together, from an object of a response and its request: a token and its asset, a cycle and its signers. */
export type Find = ReadonlyMap<ValueKind, readonly string[]>;

/** Returns a number from 0 up to 1 (exclusive). */
export type Random = () => number;

/** Number of equal spans of heights: samples come from all of them, although lists begin with the newest records. */
export const SPANS = 10;
/** Most finds of each kind and span, and of each kind without a height; the oldest are dropped. */
const MAX_FINDS = 50;
/** Heights of each span that are known at the start. */
const SEEDS = 2;

/** Undefined: finds without a height. */
type Span = number | undefined;

/** The values that responses have named so far. */
export class Finds {
  readonly #byKind = new Map<ValueKind, Map<Span, Find[]>>();
  readonly #highest: { readonly block: number; readonly burn: number };

  /** @param highest heights that both servers have; no requests for higher ones are sent */
  constructor(highest: { readonly block: number; readonly burn: number }) {
    this.#highest = highest;
  }

  /** Adds the finds of an earlier run. */
  restore(finds: SavedFinds): void {
    for (const find of finds) this.#keep(new Map(find));
  }

  /** All finds, each once. */
  save(): SavedFinds {
    const all = new Set([...this.#byKind.values()].flatMap(spans => [...spans.values()].flat()));
    return [...all].map(find => [...find]);
  }

  /** Names some heights of each span. */
  seed(random: Random): void {
    const { block } = this.#highest;
    for (let i = 0; i < SPANS * SEEDS; i++) {
      const height = 1 + Math.floor(((i + random()) * block) / (SPANS * SEEDS));
      this.#keep(new Map([['block height', [String(Math.min(height, block))]]]));
    }
  }

  /**
   * A find that has all of these kinds, or else one that has the first kind. Each span of heights has the same chance, however many finds it
   * has.
   */
  choose(kinds: readonly ValueKind[], random: Random): Find | undefined {
    const [first] = kinds;
    const all = first === undefined ? [] : [...(this.#byKind.get(first)?.values() ?? [])];
    const whole = all
      .map(finds => finds.filter(find => kinds.every(kind => find.has(kind))))
      .filter(finds => finds.length > 0);
    return pick(pick(whole.length > 0 ? whole : all, random) ?? [], random);
  }

  /** The span of the height that a find has; undefined if it has none. */
  spanOf(find: Find): Span {
    const height = Number(find.get('block height')?.[0] ?? Number.NaN);
    return height >= 0 && height <= this.#highest.block
      ? Math.floor((height * SPANS) / (this.#highest.block + 1))
      : undefined;
  }

  /** Adds the finds of a response. @param requested values of the parameters of its request */
  add(operationId: string, body: JsonValue, requested: Find): void {
    this.#addValue(body, requested);
    const cursors = isJsonObject(body) ? CURSORS.flatMap(field => body[field] ?? []).map(String) : [];
    if (cursors.length > 0)
      this.#keep(new Map<ValueKind, readonly string[]>([...requested, [`cursor of ${operationId}`, cursors]]));
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
    const span = this.spanOf(find);
    for (const kind of find.keys()) {
      const spans = this.#byKind.get(kind) ?? new Map<Span, Find[]>();
      const finds = spans.get(span) ?? [];
      finds.push(find);
      if (finds.length > MAX_FINDS) finds.shift();
      this.#byKind.set(kind, spans.set(span, finds));
    }
  }
}

/** Finds as JSON. */
export type SavedFinds = readonly (readonly (readonly [ValueKind, readonly string[]])[])[];

/** One of these, each with the same chance. */
export const pick = <T>(from: readonly T[], random: Random): T | undefined => from[Math.floor(random() * from.length)];

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
    if (field === 'tx_id' && String(object.tx_status).startsWith('dropped_'))
      return [
        ['transaction', String(value)],
        ['dropped transaction', String(value)],
      ];
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
/** A namespace without a letter would make names of amounts such as `100.00`. */
const NAME = /^[a-z0-9_-]{1,48}\.(?=[^a-z]*[a-z])[a-z0-9_-]{1,20}$/;

/** The kinds that a text must be, by its form alone. */
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
