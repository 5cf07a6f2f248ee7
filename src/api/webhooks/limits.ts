/** Limits of webhooks. Sizes in bytes, times in milliseconds. */
export interface WebhookLimits {
  /** Webhooks there may be. */
  readonly maxHooks: number;
  /** Topics of one. */
  readonly maxTopics: number;
  /** Events of one body. */
  readonly batchEvents: number;
  /** A body ends before the event that would make it larger; one event alone may be. */
  readonly batchBytes: number;
  /** Limit for establishing the connection, TLS included. */
  readonly connectMs: number;
  /** Limit until the status of the response arrives. */
  readonly responseMs: number;
  /** Characters of a URL. */
  readonly urlLength: number;
}

export const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = {
  maxHooks: 100,
  maxTopics: 100,
  batchEvents: 500,
  batchBytes: 1024 * 1024,
  connectMs: 5000,
  responseMs: 15_000,
  urlLength: 2000,
};
