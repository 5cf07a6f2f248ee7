import { toHex } from '../../../base/lib/hex.ts';
import { isJsonObject, type JsonObject } from '../../../base/lib/json.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { allIn, inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { isStorable } from '../../../base/store/values.ts';
import { readStoredShape } from '../../../index/contracts/stored.ts';
import {
  type CONTRACT_FUNCTIONS,
  CONTRACTS_BY_FUNCTION,
  type FUNCTION_SHAPES,
} from '../../../index/contracts/tables.ts';
import {
  isTraitFunction,
  keyOfName,
  MAX_CHARACTERS,
  MAX_NESTING,
  nestingOf,
  parse,
  reduceFunction,
  SHAPE_KEY_BYTES,
} from '../../../index/contracts/trait.ts';
import { findList, type List } from '../../../ingest/indexer/lists.ts';
import { badRequest } from '../../http/errors.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { implementsFunction } from './compliance.ts';
import { contractRecords, countDeployed } from './queries.ts';

/** Candidates in the first batch; each further batch has twice as many, within the budget. Most pages need few. */
const FIRST_BATCH = 100;

/** Budget of one request, in comparisons of two pieces of JSON. */
const BUDGET = 2_000_000;
const COST_OF_ROW = 20;

interface TraitQuery {
  readonly limit: number;
  readonly offset: number;
  /** The place of the trait in the request, for errors. */
  readonly place: 'querystring/trait_abi' | 'body';
}

/**
 * Records of the canonical contracts that have these functions, newest first (getContractsByTraitV1, findContractsByTraitV1); undefined if no contract has them.
 * Candidates are the contracts with the rarest of the names; a trait without any name is compared with all contracts.
 * @throws ApiError 400 if the search would take too long: the trait has too much to compare and too few matches
 */
export async function contractsByTrait(
  queries: Queries,
  functions: readonly TraitFunction[],
  { limit, offset, place }: TraitQuery,
  budget: RowBudget,
): Promise<string[] | undefined> {
  if (functions.length === 0) return newestContracts(queries, limit, offset);
  const candidates = await candidatesFor(queries, functions, budget);
  const trait = new TraitMatcher(queries, functions, place);
  const matches: number[] = [];
  for await (const batch of candidates) {
    matches.push(...(await trait.matching(batch)));
    if (matches.length >= offset + limit) break;
  }
  return matches.length === 0 ? undefined : contractRecords(queries, matches.slice(offset, offset + limit));
}

/** Every contract matches a trait without functions. */
async function newestContracts(queries: Queries, limit: number, offset: number): Promise<string[] | undefined> {
  const deployed = await countDeployed(queries);
  if (deployed === 0) return undefined;
  const newest = deployed - 1 - offset;
  const positions = Array.from({ length: Math.max(Math.min(limit, newest + 1), 0) }, (_, i) => newest - i);
  return contractRecords(queries, positions);
}

/** A contract by its position in the order of deployment, and the keys of its functions, joined. */
type Candidate = { seq: number; shapes: Uint8Array };

/** The contracts with the rarest of the names that a trait has, newest first, in batches. */
async function candidatesFor(
  queries: Queries,
  functions: readonly TraitFunction[],
  budget: RowBudget,
): Promise<AsyncIterable<Candidate[]>> {
  const lists: List[] = [];
  for (const name of new Set(functions.filter(isNamed).map(fn => fn.name))) {
    const list = typeof name === 'string' ? await findList(queries, CONTRACTS_BY_FUNCTION, name) : undefined;
    if (!list) return batches(0, async () => [], budget);
    lists.push(list);
  }
  const [rarest] = lists.sort((a, b) => a.length - b.length);
  return rarest
    ? batches(rarest.length, withName(queries, rarest), budget)
    : batches(await countDeployed(queries), all(queries), budget);
}

const isNamed = (fn: TraitFunction): boolean => fn.name !== undefined;

type ReadBatch = (from: number, below: number) => Promise<Candidate[]>;

/** Two statements, as PostgreSQL misjudges the length of a list (see slicedEntries). */
const withName =
  (queries: Queries, { id }: List): ReadBatch =>
  async (from, below) => {
    const rows = await queries.all<RowOf<typeof CONTRACT_FUNCTIONS, 'contract'>>(
      'SELECT contract FROM contract_functions WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq DESC',
      [id, from, below],
    );
    return allIn<Candidate>(
      queries,
      list => `SELECT seq, shapes FROM deployed WHERE seq IN ${list} ORDER BY seq DESC`,
      rows.map(({ contract }) => contract),
    );
  };

const all =
  (queries: Queries): ReadBatch =>
  (from, below) =>
    queries.all<Candidate>('SELECT seq, shapes FROM deployed WHERE seq >= ? AND seq < ? ORDER BY seq DESC', [
      from,
      below,
    ]);

async function* batches(length: number, read: ReadBatch, budget: RowBudget): AsyncIterable<Candidate[]> {
  for (let below = length, size = FIRST_BATCH; below > 0; size *= 2) {
    const from = below - (await budget.take(Math.min(size, below)));
    yield read(from, below);
    below = from;
  }
}

/** Finds contracts with all functions of a trait. Compares each shape once, however many contracts have it. */
class TraitMatcher {
  readonly #queries: Queries;
  readonly #functions: readonly TraitFunction[];
  /** Prefixes of the keys that can match; undefined for all, as some function has no name. */
  readonly #names: ReadonlySet<string> | undefined;
  /** Functions of the trait that a shape implements, by its key. */
  readonly #fits = new Map<string, readonly number[]>();
  readonly #place: TraitQuery['place'];
  #budget = BUDGET;

  constructor(queries: Queries, functions: readonly TraitFunction[], place: TraitQuery['place']) {
    this.#place = place;
    this.#queries = queries;
    this.#functions = functions;
    this.#names = functions.every(isNamed)
      ? new Set(functions.map(fn => toHex(keyOfName(String(fn.name)))))
      : undefined;
  }

  /** The positions of the candidates that match, in their order. */
  async matching(candidates: readonly Candidate[]): Promise<number[]> {
    const keys = candidates.map(({ shapes }) => this.#keysOf(shapes));
    this.#spend(candidates.length * COST_OF_ROW + keys.reduce((sum, own) => sum + own.length, 0));
    await this.#compare(new Set(keys.flat()));
    return candidates.filter((_, i) => this.#haveAll(keys[i] ?? [])).map(({ seq }) => seq);
  }

  #haveAll(keys: readonly string[]): boolean {
    return new Set(keys.flatMap(key => this.#fits.get(key) ?? [])).size === this.#functions.length;
  }

  #keysOf(shapes: Uint8Array): string[] {
    const hex = toHex(shapes).slice(2);
    const keys: string[] = [];
    for (let at = 0; at < hex.length; at += SHAPE_KEY_BYTES * 2) {
      const key = `0x${hex.slice(at, at + SHAPE_KEY_BYTES * 2)}`;
      if (this.#names === undefined || this.#names.has(key.slice(0, 10))) keys.push(key);
    }
    return keys;
  }

  /** Compares the shapes that were not compared yet. */
  async #compare(keys: ReadonlySet<string>): Promise<void> {
    const fresh = [...keys]
      .filter(key => !this.#fits.has(key))
      .map((key): SqlValue => Buffer.from(key.slice(2), 'hex'));
    // Part by part, so that a trait that takes too long reads no more than its budget.
    for (const { list, values } of inLists(fresh)) {
      const rows = await this.#queries.all<RowOf<typeof FUNCTION_SHAPES, 'key' | 'json'>>(
        `SELECT key, json FROM function_shapes WHERE key IN ${list}`,
        values,
      );
      for (const { key, json } of rows) this.#fits.set(toHex(key), this.#fitting(json));
    }
  }

  #fitting(json: string): number[] {
    this.#spend(COST_OF_ROW + json.length / 10);
    const shape = readStoredShape(json);
    const step = () => this.#spend(1);
    return [...this.#functions.keys()].filter(i => implementsFunction(shape, this.#functions[i] ?? {}, step));
  }

  #spend(steps: number): void {
    this.#budget -= steps;
    if (this.#budget < 0) throw badRequest(`${this.#place} takes too long to match`, 'Give every function its name.');
  }
}

/** A function that a contract must have, reduced to the compared parts (see reduceFunction). */
type TraitFunction = JsonObject;

/**
 * Parses a text that may be a trait: JSON that is neither too long nor too deeply nested. Never throws, and takes bounded time whatever the
 * text.
 * @returns undefined for any other text
 */
export function parseTrait(text: string): unknown {
  if (text.length > MAX_CHARACTERS || !isStorable(text) || nestingOf(text) > MAX_NESTING) return undefined;
  return parse(text);
}

/** The functions of a trait, each once; undefined for a value of `parseTrait` that is no trait. */
export function functionsOfTrait(trait: unknown): readonly TraitFunction[] | undefined {
  if (!isJsonObject(trait) || !Array.isArray(trait.functions)) return undefined;
  const functions = new Map<string, TraitFunction>();
  for (const fn of trait.functions) {
    if (!isTraitFunction(fn)) return undefined;
    const reduced = reduceFunction(fn);
    const json = JSON.stringify(reduced);
    // An escape in the JSON can hide a character that the text does not have.
    if (!isStorable(fn.name)) return undefined;
    functions.set(json, reduced);
  }
  return [...functions.values()];
}
