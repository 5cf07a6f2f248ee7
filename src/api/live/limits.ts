/** Limits of live updates. Sizes in bytes, times in milliseconds. */
export interface LiveLimits {
  /** Topics of one client. */
  readonly maxTopics: number;
  /** Subscriptions of one client of the older channels. */
  readonly maxSubscriptions: number;
  /** Bytes that such a client may send in one message. */
  readonly maxFrame: number;
  /** Time between two pings of such a client; a client that leaves a ping unanswered is disconnected. */
  readonly pingInterval: number;
  /** Longest time until a client of socket.io sends its CONNECT. */
  readonly maxJoin: number;
  /** Unread bytes above which a client gets no more mempool events. */
  readonly softQueue: number;
  /** Unread bytes of a client above which it is disconnected. */
  readonly hardQueue: number;
  /** Longest time that a client may leave sent bytes unread. */
  readonly maxStall: number;
  /** Most blocks that a client may be behind; a client with an older token gets a `gap`. */
  readonly maxReplayBlocks: number;
  /** Longest wait for the unknown block of a token: another process may be ahead. */
  readonly maxTokenWait: number;
  /** Events that the server reads ahead for a client. */
  readonly replayBatch: number;
}

export const DEFAULT_LIVE_LIMITS: LiveLimits = {
  maxTopics: 100,
  maxSubscriptions: 200,
  maxFrame: 64 * 1024,
  pingInterval: 5000,
  maxJoin: 20_000,
  softQueue: 1024 * 1024,
  hardQueue: 4 * 1024 * 1024,
  maxStall: 30_000,
  maxReplayBlocks: 10_000,
  maxTokenWait: 5000,
  replayBatch: 500,
};
