/** A delivered block that cannot be applied, as its parent was not delivered. */
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

/** A block of the index that was rebuilt from the RPC of a node, as no node delivered its event. */
export interface RebuiltBlock {
  /** In the journal. */
  readonly position: number;
  readonly height: number;
  /** Index block hash, `0x` and lower-case hex. */
  readonly indexBlockHash: string;
  /** A or B (docs/spec/rebuilt-blocks.md#classes). */
  readonly class: string;
  /** Names of fields. */
  readonly unknown: readonly string[];
}

/** The rebuilt blocks, in short. */
export interface RebuiltSummary {
  readonly count: number;
  /** The last one in the journal. */
  readonly newest: RebuiltBlock | null;
  /** The fields that are unknown in at least one of them, sorted. */
  readonly unknown: readonly string[];
}

/** What is set aside, in short. */
export interface SetAsideSummary {
  readonly count: number;
  /** The last one in the journal. */
  readonly newest: SetAsideEntry | null;
}
