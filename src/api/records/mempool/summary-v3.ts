import type { Queries } from '../../../base/store/database.ts';
import {
  COUNTED_TYPES,
  type CountedNode,
  type CountedType,
  countsBelow,
  isWholeValue,
  MEASURES,
  type Measure,
  rootOf,
  valueOfBytes,
} from '../../../index/mempool/counts.ts';
import { PERCENTILES } from './stats.ts';

type PercentileName = keyof typeof PERCENTILES;
const NAMES = Object.keys(PERCENTILES) as PercentileName[];

/** Each null without transactions. */
type Percentiles<T> = Readonly<Record<PercentileName, T | null>>;

/** The search for the value of a percentile: from the roots of some types down, each step a byte. */
interface Search {
  readonly types: readonly CountedType[];
  readonly measure: Measure;
  readonly name: PercentileName;
  /** The known first bytes of the value. */
  bytes: Uint8Array;
  /** The rank of the value among those that begin with these bytes: 1 is the lowest. 0 without transactions. */
  rank: number;
}

/** Counts of pending transactions, and percentiles of their fees and waiting times (docs/spec/mempool.md#summary). */
export async function mempoolFiguresV3(queries: Queries) {
  const roots = await countsBelow(
    queries,
    COUNTED_TYPES.map(type => rootOf(type, 'fee')),
  );
  const countOf = (types: readonly CountedType[]): number =>
    types.flatMap(type => roots.get(keyOf(rootOf(type, 'fee'))) ?? []).reduce((sum, { n }) => sum + n, 0);
  const scopes: (readonly CountedType[])[] = [COUNTED_TYPES, ...COUNTED_TYPES.map(type => [type])];
  const searches = scopes.flatMap(types =>
    MEASURES.flatMap(measure =>
      NAMES.map(
        (name): Search => ({ types, measure, name, bytes: new Uint8Array(), rank: rankOf(name, countOf(types)) }),
      ),
    ),
  );
  await findAll(queries, searches);
  const summaryOf = (types: readonly CountedType[]) => {
    const own = searches.filter(search => search.types.join() === types.join());
    const percentiles = <T>(measure: Measure, shown: (value: bigint) => T): Percentiles<T> => {
      const at = (name: PercentileName): T | null => {
        const found = own.find(search => search.measure === measure && search.name === name);
        return found && found.rank > 0 ? shown(valueOfBytes(found.bytes)) : null;
      };
      return { p25: at('p25'), p50: at('p50'), p75: at('p75'), p95: at('p95') };
    };
    return {
      count: countOf(types),
      fee_rate: percentiles('fee', String),
      tx_size: percentiles('size', Number),
      receipt_time: percentiles('receipt_time', Number),
      receipt_block_height: percentiles('chain_height', Number),
    };
  };
  return {
    ...summaryOf(COUNTED_TYPES),
    by_type: {
      token_transfer: summaryOf(['token_transfer']),
      smart_contract: summaryOf(['smart_contract']),
      contract_call: summaryOf(['contract_call']),
    },
  };
}

/** Rank of the smallest value with at least that share of all values up to it: an existing value, not a mean of two. In hundredths, as 0.95 is not exact. */
const rankOf = (name: PercentileName, count: number): number =>
  Math.ceil((Math.round(100 * PERCENTILES[name]) * count) / 100);

const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Runs all searches to their values, with one statement for each byte of the longest value, however many transactions are pending. */
async function findAll(queries: Queries, searches: readonly Search[]): Promise<void> {
  const isOpen = ({ bytes, rank }: Search): boolean => rank > 0 && !isWholeValue(bytes);
  for (let open = searches.filter(isOpen); open.length > 0; open = open.filter(isOpen)) {
    const parents = new Map(open.flatMap(parentsOf).map(parent => [keyOf(parent), parent]));
    const counts = await countsBelow(queries, [...parents.values()]);
    for (const search of open)
      step(
        search,
        parentsOf(search).flatMap(parent => counts.get(keyOf(parent)) ?? []),
      );
  }
}

const parentsOf = ({ types, measure, bytes }: Search): Uint8Array[] =>
  types.map(type => Buffer.concat([rootOf(type, measure), bytes]));

/** Finds the next byte of the value. @param counts below its bytes, of all types */
function step(search: Search, counts: readonly CountedNode[]): void {
  const totals = new Map<number, number>();
  for (const { byte, n } of counts) totals.set(byte, (totals.get(byte) ?? 0) + n);
  for (const [byte, n] of [...totals].sort(([a], [b]) => a - b)) {
    if (search.rank <= n) {
      search.bytes = Buffer.concat([search.bytes, Uint8Array.of(byte)]);
      return;
    }
    search.rank -= n;
  }
  throw new Error(`counts of ${search.measure} of pending transactions are not those of their bytes`);
}
