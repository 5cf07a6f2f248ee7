/** A mistake in how the program was called; the message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OptionSpec {
  /** Shown in help; absent for a flag. */
  readonly value?: string;
  readonly env?: string;
  readonly standard?: string;
  readonly doc: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;
