/** What live updates may cost. Sizes in bytes, times in milliseconds. */
export interface LiveLimits {
  /** Clients that stream at once, in each process; further ones get a 503. */
  readonly maxClients: number;
  /** The same of one address; further ones get a 429. */
  readonly maxClientsPerAddress: number;
  /** Topics of one client. */
  readonly maxTopics: number;
  /** Unread bytes of a client above which it is told no more of the mempool. */
  readonly softQueue: number;
  /** Unread bytes of a client above which it is disconnected. */
  readonly hardQueue: number;
  /** How long a client may leave what was sent unread. */
  readonly maxStall: number;
  /** Blocks that a client may be behind; a token that is older is answered by a gap. */
  readonly maxReplayBlocks: number;
  /** Events that are read for a client before it has taken them. */
  readonly replayBatch: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  maxClients: 5000,
  maxClientsPerAddress: 20,
  maxTopics: 100,
  softQueue: 1024 * 1024,
  hardQueue: 4 * 1024 * 1024,
  maxStall: 30_000,
  maxReplayBlocks: 10_000,
  replayBatch: 500,
};
