/** The newest canonical block, as kept in memory. Hashes are `0x` and lower-case hex. */
export interface Tip {
  /** Height of the block on the Stacks chain. */
  readonly height: number;
  readonly indexBlockHash: string;
  readonly blockHash: string;
  readonly burnBlockHeight: number;
  /** The last microblock streamed on top of the block; null without microblocks (always, since epoch 3). */
  readonly microblockHash: string | null;
  readonly microblockSequence: number | null;
  /**
   * How often what the chain holds below the tip has changed without another tip: by a boot block or a Bitcoin block that came late, by an event
   * that was set aside and is applied, by a rebuilt block that was replaced. Absent for never.
   */
  readonly revision?: number;
  /**
   * Hash of the newest canonical Bitcoin block, which may be above that of the block: it arrives before the Stacks blocks that it
   * elects. Absent where the node sent none.
   */
  readonly burnTip?: string;
  /** The journal entry of the newest attachments of contract calls, such as zone files. Absent where the node sent none. */
  readonly attachments?: number;
}

/**
 * Where readers learn the tip without a query. A tip must not be named before the index shows its block, or a client
 * would keep an old response under the new tip's ETag.
 */
export interface TipSource {
  /** Undefined while the chain is empty. */
  current(): Tip | undefined;
}
