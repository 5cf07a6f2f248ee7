/** The columns of exported lists: one description for every file format, the manifest and docs/past.md. */

/**
 * What a column holds:
 * - `text`
 * - `integer`: a whole number below 2^53
 * - `amount`: a whole number of at most 38 digits, such as micro-STX
 * - `time`: Unix seconds
 * - `json`: a JSON text
 */
export type ExportType = 'text' | 'integer' | 'amount' | 'time' | 'json';

interface Values {
  readonly text: string;
  readonly integer: number;
  readonly amount: bigint;
  readonly time: number;
  readonly json: string;
}

/** A column; its name is the key under which it is declared. */
export interface ExportColumn {
  readonly type: ExportType;
  /** Whether rows may have null. */
  readonly isNullable: boolean;
  readonly help: string;
}

/** The columns of a list, in order. */
export type ExportColumns = Readonly<Record<string, ExportColumn>>;

/** A row of a list with these columns. */
export type ExportRow<C extends ExportColumns = ExportColumns> = {
  readonly [Name in keyof C]: C[Name]['isNullable'] extends false
    ? Values[C[Name]['type']]
    : Values[C[Name]['type']] | null;
};

/** A column that every row has. */
export const always = <const T extends ExportType>(type: T, help: string) =>
  ({ type, isNullable: false, help }) as const;

/** A column that is null in rows to which it does not apply. */
export const sometimes = <const T extends ExportType>(type: T, help: string) =>
  ({ type, isNullable: true, help }) as const;

/** The first amount that has more than 38 digits. */
const TOO_LARGE = 10n ** 38n;

/**
 * An amount of a token in the two columns that hold it: programs that read decimals take 38 digits, and amounts of Clarity have up to 39.
 * @param amount decimal
 */
export function tokenAmount(amount: string | bigint): {
  readonly amount: bigint | null;
  readonly large: string | null;
} {
  const value = BigInt(amount);
  return value < TOO_LARGE && value > -TOO_LARGE
    ? { amount: value, large: null }
    : { amount: null, large: String(value) };
}

/** As an `amount` of STX, which are at most 2^64 micro-STX in all. */
export const stxAmount = (amount: string): bigint => BigInt(amount);
