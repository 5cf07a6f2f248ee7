import { randomBytes } from 'node:crypto';
import { AppError, quoted } from '../../base/lib/app-error.ts';
import type { RowOf } from '../../base/store/table.ts';
import { parseToken } from '../live/token.ts';
import { parseTopic, TOPIC_FORMS, type Topic } from '../live/topics.ts';
import type { WEBHOOKS } from './tables.ts';

/** A webhook in the form for operators: without its secret and its unsent batch. Times in Unix milliseconds. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly topics: readonly string[];
  readonly state: 'active' | 'parked';
  /** Token up to which all was confirmed; null until the first read of the index. */
  readonly place: string | null;
  readonly failures: number;
  readonly error: string | null;
  readonly run_after: number;
  readonly created_at: number;
  readonly delivered_at: number | null;
}

/** An operator's request for a webhook. */
export interface WebhookRequest {
  readonly url: string;
  readonly topics: readonly string[];
  /** Token after which it begins; undefined: with the next event. */
  readonly after: string | undefined;
}

/** A webhook that cannot be created, or does not exist. */
export class WebhookRefused extends AppError {
  override readonly name = 'WebhookRefused';
  override readonly kind = 'response';
  declare readonly code: 'WEBHOOK_UNKNOWN' | 'WEBHOOK_REFUSED';
  declare readonly statusCode: 400 | 404;

  constructor(statusCode: 400 | 404, message: string, hint: string) {
    super(message, { code: statusCode === 404 ? 'WEBHOOK_UNKNOWN' : 'WEBHOOK_REFUSED', statusCode, hint });
  }
}

/**
 * The row of a new webhook.
 * @param refusal why the server must not send to a URL, by its spelling; undefined for an allowed one
 * @throws WebhookRefused
 */
export function newWebhook(
  { url, topics, after }: WebhookRequest,
  refusal: (url: URL) => string | undefined,
  { maxTopics, urlLength }: Pick<WebhookLimits, 'maxTopics' | 'urlLength'>,
  now: number,
): RowOf<typeof WEBHOOKS> {
  const parsed = url.length > urlLength ? null : URL.parse(url);
  if (!parsed || parsed.username + parsed.password !== '') {
    const message = `url must be an http or https URL of at most ${urlLength} characters, without user and password`;
    throw refused(message, 'Name a secret in its path; each body is signed as well: docs/live.md.');
  }
  const reason = refusal(parsed);
  if (reason !== undefined)
    throw refused(
      `url is not allowed: ${reason}`,
      '--hooks-allow-hosts names receivers that may be private or use another port.',
    );
  if (after !== undefined && parseToken(after) === undefined)
    throw refused(`after must be the id of an event, not ${quoted(after)}`, SEE);
  return {
    id: randomBytes(8).toString('hex'),
    url: parsed.href,
    topics: JSON.stringify(topicsOf(topics, maxTopics).map(({ key }) => key)),
    secret: randomBytes(32).toString('hex'),
    state: 'active',
    place: after ?? null,
    position: 0,
    body: null,
    body_place: null,
    failures: 0,
    failing_since: null,
    error: null,
    run_after: 0,
    created_at: now,
    delivered_at: null,
  };
}

const SEE = 'docs/live.md explains topics and ids.';
const WEBHOOK_TOPICS = TOPIC_FORMS.replace(' mempool,', '');

/** @throws WebhookRefused that names the invalid topics */
function topicsOf(texts: readonly string[], most: number): Topic[] {
  if (texts.length === 0 || texts.length > most)
    throw refused(`topics must have 1 to ${most} items, not ${texts.length}`, SEE);
  const found = texts.map(text => parseTopic(text));
  const bad = texts.filter((_, i) => found[i] === undefined || found[i].kind === 'mempool');
  if (bad.length > 0)
    throw refused(
      `topics must be among ${WEBHOOK_TOPICS}; not ${bad.map(quoted).join(', ')}`,
      `Only the stream tells of the mempool. ${SEE}`,
    );
  return found.filter(topic => topic !== undefined);
}

const refused = (message: string, hint: string) => new WebhookRefused(400, message, hint);

/** @param place token of an event */
export const unknownPlace = (place: string): WebhookRefused =>
  refused(
    `after is the id of an event of a block that the index does not have: ${quoted(place)}`,
    'It must be an id of this chain. 0.0000000000.4 begins with the first block; without after, it begins with the next event.',
  );

/** Limits of webhooks. Sizes in bytes, times in milliseconds. */
export interface WebhookLimits {
  /** The most webhooks. */
  readonly maxHooks: number;
  /** The most topics of one webhook. */
  readonly maxTopics: number;
  /** The most events in one body. */
  readonly batchEvents: number;
  /** A body ends before the event that would make it larger; only a single event may be larger. */
  readonly batchBytes: number;
  /** Limit for establishing the connection, TLS included. */
  readonly connectMs: number;
  /** Limit until the status of the response arrives. */
  readonly responseMs: number;
  /** The most characters of a URL. */
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
