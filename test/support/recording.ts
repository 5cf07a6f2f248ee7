import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { JsonValue } from '../../src/base/lib/json.ts';
import { differencesOf } from '../../src/operate/compare/differences.ts';

/** A request and the response that was recorded for it. */
export interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly body: Json;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Archives of the reference material whose responses are recorded, besides the sample chain. */
export const RECORDED_ARCHIVES: readonly string[] = [
  'epoch-3-transition',
  'mainnet-genesis',
  'mainnet-reorg',
  'mocknet',
  'pox4-stack-1',
  'pox4-stack-3',
  'sim-bns',
  'sim-mempool',
  'sim-nft',
  'sim-pox',
  'sim-reorg',
  'sim-rich',
];

export function readRecording(file: string): Recorded[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  return lines.map(line => JSON.parse(line) as Recorded);
}

/**
 * Why a response is not the recorded one, or undefined where it is as good. Equal means: the same status and body, but
 * - a recorded server error on bad input must be a client error, or a success where the input is legal;
 * - redirects may be answered directly, also by a 404; of errors only the status and a text `error` count (and `result` of a search);
 * - times of receipt need only be numbers: the recording has those of its own clock (as has the block_time of streamed
 *   microblock transactions, see isClock);
 * - accepted improvements: the true total of a page past the end, an empty page in place of a 404 past the end, names of
 *   interfaces where the recording has blanks, more fields in the metadata of a search.
 */
export function difference(recorded: Recorded, status: number, body: unknown): string | undefined {
  if (recorded.status >= 500) return status >= 500 ? `status ${status} on bad input` : undefined;
  if (recorded.status >= 300 && recorded.status < 400) {
    return status === recorded.status || status < 300 || status === 404
      ? undefined
      : `status ${status}, not ${recorded.status}`;
  }
  if (recorded.status === 404 && status === 200 && (isEmptyPage(body) || WORKS_NOW.test(recorded.path)))
    return undefined;
  if (status !== recorded.status) return `status ${status}, not ${recorded.status}`;
  if (status >= 400) return errorDifference(recorded.body, body);
  const given = ADDRESS_TRANSACTIONS.test(recorded.path) ? withoutCursors(body) : (body as Json);
  const [first] = differencesOf(normal(recorded.body, recorded.path), normal(given, recorded.path));
  return first && `.${first.at}: expected ${brief(first.ours)} got ${brief(first.theirs)}`;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmptyPage = (body: unknown): boolean =>
  isObject(body) && Array.isArray(body.results) && body.results.length === 0;

function errorDifference(recorded: Json, body: unknown): string | undefined {
  if (!isObject(body) || typeof body.error !== 'string') return 'an error without a text `error`';
  if (!isObject(recorded) || recorded.found !== false) return undefined;
  return isDeepStrictEqual(body.result, recorded.result) && body.found === false
    ? undefined
    : 'another result of a search';
}

/** Recordings are of version 8, whose pages have no cursors. */
const ADDRESS_TRANSACTIONS = /^\/extended\/v2\/addresses\/[^/]+\/transactions(\?|$)/;

function withoutCursors(body: unknown): Json {
  if (!isObject(body)) return body as Json;
  const { next_cursor: _next, prev_cursor: _previous, cursor: _cursor, ...rest } = body;
  return rest as Json;
}

/** getPoolDelegationsV1 with unanchored=true was always 404. */
const WORKS_NOW = /\/delegations\?.*unanchored=true/;

/** Mempool pages are sorted by what repeats (fee, size) or by the clock of the recording: whole lists are compared as sets. */
const MEMPOOL = /^\/extended\/v1\/tx\/mempool/;

/** Contracts are sorted by the height of their block only. */
const BY_TRAIT = /^\/extended\/v1\/contract\/by_trait/;

const SEARCH_EXTRAS = new Set([
  'estimated_balance',
  'pending_balance_inbound',
  'pending_balance_outbound',
  'token_offering_locked',
]);

/** A value without what may differ. */
function normal(value: Json, path: string, top = true): Json {
  if (Array.isArray(value)) return value.map((item: Json) => normal(item, path, false));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !SEARCH_EXTRAS.has(key));
  const result: Record<string, Json> = {};
  for (const [key, item] of entries) result[key] = isClock(key, value) ? typeof item : normal(item, path, false);
  if (isObject(value.contract_call)) result.contract_call = withoutNames(value.contract_call);
  if (top && Array.isArray(value.results)) {
    if (value.results.length === 0) result.total = 0;
    result.results = comparable(result.results as Json[], value.total, path);
  }
  return result;
}

/** The records of a page in an order that can be compared; where only part of a list is seen, what cannot be is left out. */
function comparable(records: readonly Json[], total: Json | undefined, path: string): Json[] {
  if (BY_TRAIT.test(path)) return records.map((record, i) => (sharesHeight(records, i) ? heightOf(record) : record));
  if (!MEMPOOL.test(path)) return withTiesSorted(records);
  return records.length === total ? [...records].sort(byText) : records.map(() => null);
}

const heightOf = (record: Json | undefined): Json =>
  isObject(record ?? null) ? ((record as JsonObject).block_height ?? null) : null;

/** At the edges of a page the records of a height may go on beyond it. */
const sharesHeight = (records: readonly Json[], i: number): boolean =>
  i === 0 ||
  i === records.length - 1 ||
  [records[i - 1], records[i + 1]].some(next => heightOf(next) === heightOf(records[i]));

const byText = (a: Json, b: Json): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Boot transactions share their number with others of block 1: records that are equal in place may come in any order. */
function withTiesSorted(records: readonly Json[]): Json[] {
  const place = (record: Json): string =>
    isObject(record) && 'tx_index' in record
      ? `${record.block_height}/${record.microblock_sequence}/${record.tx_index}`
      : '';
  const sorted = [...records];
  for (let start = 0; start < sorted.length; ) {
    let end = start + 1;
    while (
      end < sorted.length &&
      place(sorted[start] ?? null) !== '' &&
      place(sorted[end] ?? null) === place(sorted[start] ?? null)
    )
      end++;
    sorted.splice(start, end - start, ...sorted.slice(start, end).sort(byText));
    start = end;
  }
  return sorted;
}

function isClock(key: string, owner: JsonObject): boolean {
  const streamed = typeof owner.microblock_sequence === 'number' && owner.microblock_sequence !== 2147483647;
  return key.startsWith('receipt_time') || (streamed && key.startsWith('block_time'));
}

/** Some recorded responses have blanks in place of signature, argument names and types. */
function withoutNames(call: JsonObject): Json {
  const args = Array.isArray(call.function_args)
    ? call.function_args.map(arg => (isObject(arg) ? [arg.hex ?? null, arg.repr ?? null] : arg))
    : null;
  return { contract_id: call.contract_id ?? null, function_name: call.function_name ?? null, function_args: args };
}

const brief = (value: JsonValue | undefined): string | undefined => JSON.stringify(value)?.slice(0, 120);
