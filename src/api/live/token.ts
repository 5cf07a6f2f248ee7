/**
 * A place in the log of the chain, and the token for it: `<height>.<10 or 11 hex digits of the index block hash>.<place
 * in the block>` (docs/spec/live.md#tokens). A token names the fork that it is on, so a client can resume from it after
 * a fork has removed the block.
 */

/** A place within a block: places compare part by part, a prefix comes before its continuations. */
export type PositionInBlock = readonly [number, ...(number | string)[]];

export interface LogPosition {
  /** 0: before the first block. */
  readonly height: number;
  /** The first hex digits of the index block hash, without `0x`: 10, or 11 on a chain whose block 1 was changed (`isBlock1Changed`). */
  readonly hash: string;
  readonly at: PositionInBlock;
}

export const PLACE = {
  block: [0],
  burnBlock: [1],
  transaction: (index: number): PositionInBlock => [2, index],
  transactionOf: (index: number, principal: string): PositionInBlock => [2, index, 0, principal],
  event: (index: number, event: number): PositionInBlock => [2, index, 1, event],
  /** After all events of this transaction and of those before it. */
  afterTransaction: (index: number): PositionInBlock => [2, index, 2],
  balance: (principal: string): PositionInBlock => [3, principal],
  /** After all events of the block. */
  end: [4],
  /** After the blocks above it were rolled back, so that the block is the tip again. */
  rollback: [5],
  balanceAfterRollback: (principal: string): PositionInBlock => [5, principal],
  afterRollback: [6],
} as const satisfies Record<string, PositionInBlock | ((...of: never[]) => PositionInBlock)>;

const HASH_DIGITS = 10;
const HASH_DIGITS_CHANGED = 11;

/** Before the first block. */
export const BEGINNING: LogPosition = { height: 0, hash: '0'.repeat(HASH_DIGITS), at: PLACE.end };

/** A place in a block. @param indexBlockHash 0x hex @param isChanged whether it is on a chain whose block 1 was changed */
export const placeIn = (
  height: number,
  indexBlockHash: string,
  at: PositionInBlock,
  isChanged: boolean,
): LogPosition => ({
  height,
  hash: indexBlockHash.slice(2, 2 + (isChanged ? HASH_DIGITS_CHANGED : HASH_DIGITS)),
  at,
});

/** Whether a place is on a chain whose block 1 was changed. */
export const isOfChanged = ({ hash }: LogPosition): boolean => hash.length === HASH_DIGITS_CHANGED;

/** The common prefix of all ids in a block. */
export const prefixOf = ({ height, hash }: Pick<LogPosition, 'height' | 'hash'>): string => `${height}.${hash}.`;

export const tokenOf = (place: LogPosition): string => `${prefixOf(place)}${place.at.join('-')}`;

/** An event of the mempool adds `m<n>` at the end, as it has no place of its own. */
const TOKEN =
  /^(\d{1,15})\.([0-9a-f]{10,11})\.(\d{1,9}(?:-\d{1,9})*)(?:-(S[0-9A-Z]{27,40}(?:\.[A-Za-z][\w-]{0,127})?)|m\d{1,15})?$/;

/** The pattern of tokens. */
export const TOKEN_PATTERN = TOKEN.source;

/** Parses a token; undefined for any other text. */
export function parseToken(token: string): LogPosition | undefined {
  const [, height, hash, numbers, principal] = TOKEN.exec(token) ?? [];
  if (height === undefined || hash === undefined || numbers === undefined) return undefined;
  const [first = 0, ...more] = numbers.split('-').map(Number);
  return { height: Number(height), hash, at: [first, ...more, ...(principal === undefined ? [] : [principal])] };
}

/** Below zero when `a` comes first, above when `b` does. */
export function comparePositionsInBlock(a: PositionInBlock, b: PositionInBlock): number {
  for (const [i, part] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (part !== other) return isBefore(part, other) ? -1 : 1;
  }
  return a.length - b.length;
}

const isBefore = (a: number | string, b: number | string): boolean =>
  typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b);

/** Number of transactions of the block before a place; the place may be within the next transaction. */
export function transactionsBefore([kind, index, part]: PositionInBlock): number {
  const [ofTransactions] = PLACE.transaction(0);
  if (kind !== ofTransactions) return kind < ofTransactions ? 0 : Number.POSITIVE_INFINITY;
  if (typeof index !== 'number') return 0;
  return part === 2 ? index + 1 : index;
}

/** Whether this place is the end of its block. */
export const isEnd = ({ at }: LogPosition): boolean => comparePositionsInBlock(at, PLACE.end) >= 0;

/** Whether both places are the end of the same block. */
export const isSameBlockEnd = (a: LogPosition, b: LogPosition): boolean =>
  a.height === b.height && a.hash === b.hash && isEnd(a) && isEnd(b);
