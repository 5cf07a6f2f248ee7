/** Decides whether transactions compete for space in blocks (docs/node-rpc.md#fee-estimates). */

const DIMENSIONS = ['read_count', 'read_length', 'write_count', 'write_length', 'runtime', 'size'] as const;

/** Usage or limits of blocks: the cost of execution, and bytes of transactions. */
export type BlockUsage = { readonly [D in (typeof DIMENSIONS)[number]]: number };

/** The newest tenure first, which is not complete yet. */
export type TenureUsages = readonly { readonly blocks: number; readonly usage: BlockUsage }[];

interface FeeMarketSettings {
  /** Number of blocks from which on the current tenure counts alone. */
  readonly currentBlocks: number;
  /** Share of the limit below which each dimension of the current tenure must be. */
  readonly currentFullness: number;
  /** Number of complete tenures that count otherwise, */
  readonly pastTenures: number;
  /** and the share of the limit for their average. */
  readonly pastFullness: number;
}

export interface FeeSettings extends FeeMarketSettings {
  /** Factor for the fees of the node while there is a fee market. */
  readonly modifier: number;
}

export const DEFAULT_FEES: FeeSettings = {
  modifier: 1,
  currentBlocks: 5,
  currentFullness: 0.5,
  pastTenures: 5,
  pastFullness: 0.9,
};

/** Limits of a tenure in the epochs since 2.05. */
export const DEFAULT_BLOCK_LIMITS: BlockUsage = {
  read_count: 15_000,
  read_length: 100_000_000,
  write_count: 15_000,
  write_length: 15_000_000,
  runtime: 5_000_000_000,
  size: 2_097_152,
};

export function hasFeeMarket(
  [current, ...past]: TenureUsages,
  limits: BlockUsage,
  { currentBlocks, currentFullness, pastTenures, pastFullness }: FeeMarketSettings,
): boolean {
  const isRoomy = (usage: BlockUsage, part: number) => DIMENSIONS.every(name => usage[name] < limits[name] * part);
  if (current && current.blocks >= currentBlocks && isRoomy(current.usage, currentFullness)) return false;
  if (past.length < pastTenures) return false;
  return !isRoomy(average(past.slice(0, pastTenures).map(({ usage }) => usage)), pastFullness);
}

/** The newest, which is the first, weighs most: n, n - 1 ... 1. */
function average(usages: readonly BlockUsage[]): BlockUsage {
  const weights = usages.map((_, i) => usages.length - i);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const of = (name: keyof BlockUsage) =>
    usages.reduce((sum, usage, i) => sum + usage[name] * (weights[i] ?? 0), 0) / total;
  return {
    read_count: of('read_count'),
    read_length: of('read_length'),
    write_count: of('write_count'),
    write_length: of('write_length'),
    runtime: of('runtime'),
    size: of('size'),
  };
}

/** The limits of the current epoch in a response of `/v2/pox`; undefined if the response has none. */
export function blockLimitsOf(pox: unknown): BlockUsage | undefined {
  const { epochs, current_burnchain_block_height: height = Number.POSITIVE_INFINITY } = (pox ?? {}) as {
    readonly epochs?: unknown;
    readonly current_burnchain_block_height?: number;
  };
  if (!Array.isArray(epochs)) return undefined;
  const begun = (epochs as { start_height?: number; block_limit?: Partial<BlockUsage> }[]).filter(
    epoch => (epoch?.start_height ?? 0) <= height,
  );
  const limit = begun.at(-1)?.block_limit;
  if (limit === undefined) return undefined;
  const known = Object.entries(DEFAULT_BLOCK_LIMITS).map(([name, usual]) => {
    const value = limit[name as keyof BlockUsage];
    return [name, typeof value === 'number' && value > 0 ? value : usual];
  });
  return Object.fromEntries(known) as BlockUsage;
}
