/** A block that was delivered but cannot be applied, as its parent was not. */
export interface Gap {
  readonly height: number;
  /** Index block hash, `0x` and lower-case hex. */
  readonly missingParent: string;
}

/** An entry of the journal that the index skips, because its content is impossible or applying it failed. */
export interface SetAsideEntry {
  /** In the journal. */
  readonly position: number;
  readonly path: string;
  readonly reason: string;
  /** When the event was received, in microseconds since 1970. */
  readonly receivedAt: number;
}

/** What is set aside, in short. */
export interface SetAsideSummary {
  readonly count: number;
  /** The one that stands last in the journal. */
  readonly newest: SetAsideEntry | null;
}
