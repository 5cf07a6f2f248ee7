import type { Statistics } from '../test/chains/workbench.ts';
import type { EngineName } from '../test/support/engines.ts';

/** What a soak worker is asked to do: its command line, as JSON. */
export interface SoakOrder {
  readonly engine: EngineName;
  readonly seed: number;
  readonly minutes: number;
  /** Where the crash runs make a schema of their own; undefined on SQLite. */
  readonly database?: string;
  /** The one property to try, by its file, and no kills; undefined for all. */
  readonly only?: string;
}

/** What a worker has done so far. */
export interface SoakProgress extends Statistics {
  readonly engine: EngineName;
  readonly seeds: number;
  readonly kills: number;
  readonly failures: number;
}

/** A rule that was broken, or a run that failed. */
export interface SoakFailure {
  readonly engine: EngineName;
  /** Name of the property, or `crash`. */
  readonly what: string;
  readonly message: string;
}

export type SoakMessage =
  | { readonly kind: 'progress'; readonly progress: SoakProgress }
  | { readonly kind: 'failure'; readonly failure: SoakFailure };
