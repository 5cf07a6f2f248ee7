/** What a body may cost before anything looks inside it. */
export interface EventLimits {
  /** Largest body, in bytes. Stays below the longest string of the JavaScript engine (about 536 million characters). */
  readonly maxBodyBytes: number;
  /** Deepest nesting of JSON arrays and objects. Real bodies stay below 30, except for interfaces of nested types. */
  readonly maxNesting: number;
}

/** The genesis block of mainnet is about 80 MB (docs/spec/ingestion.md#delivery). */
export const defaultEventLimits: EventLimits = { maxBodyBytes: 500_000_000, maxNesting: 512 };
