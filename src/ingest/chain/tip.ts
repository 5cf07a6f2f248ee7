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
   * How often the contents of the chain have changed while the tip stayed: by a late boot block or Bitcoin block, by an event that was set
   * aside and then applied, or by the replacement of a rebuilt block. Absent for never.
   */
  readonly revision?: number;
  /**
   * Hash of the newest canonical Bitcoin block. It may be above the Bitcoin block of the tip, as it arrives before the Stacks blocks that
   * it elects. Absent if the node sent none.
   */
  readonly burnTip?: string;
  /** The journal entry of the newest attachments of contract calls, such as zone files. Absent where the node sent none. */
  readonly attachments?: number;
}

/**
 * Supplies the tip without a query. It must not show a tip before the index shows its block, or a client would keep an old response
 * under the ETag of the new tip.
 */
export interface TipSource {
  /** Undefined while the chain is empty. */
  current(): Tip | undefined;
}
