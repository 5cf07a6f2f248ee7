/** A block that was delivered but cannot be applied, as its parent was not. */
export interface Gap {
  readonly height: number;
  /** Index block hash, `0x` and lower-case hex. */
  readonly missingParent: string;
}
