/** A chain that a server has been given, and where the reference material is. */
export interface Served {
  readonly shared: string;
  readonly chain: string;
  readonly port: number;
  /** For files of the comparison. */
  readonly directory: string;
}

/** How the responses of one route compare with the recorded ones. */
export interface Tally {
  requests: number;
  equal: number;
  failures: { path: string; why: string }[];
}

export interface Comparison {
  /** By route. */
  readonly tally: Readonly<Record<string, Tally>>;
  /** How many responses were compared with something else than was recorded, by the reason. docs/compatibility.md has the proofs. */
  readonly corrected: Readonly<Record<string, number>>;
}
