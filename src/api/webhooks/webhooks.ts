import type { Database, Queries } from '../../base/store/database.ts';
import { isKnownPlace } from '../live/standing.ts';
import { BEGINNING, parseToken } from '../live/token.ts';
import { WebhookClient } from './post.ts';
import { addWebhook, listWebhooks, removeWebhook, resumeWebhook } from './store.ts';
import { DEFAULT_WEBHOOK_LIMITS, newWebhook, unknownPlace, type Webhook, type WebhookRequest } from './webhook.ts';

/** Reads the index. */
type ReadIndex = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

interface WebhooksParts {
  /** Has WEBHOOKS. */
  readonly db: Database;
  readonly maxHooks: number;
  /** Opens the index, which has the places of the log, for one search. */
  readonly readIndex: ReadIndex;
  /** Destinations that may be private and have any port. */
  readonly allowHosts: readonly string[];
  /** Of this program. */
  readonly version: string;
}

/** The operations of operators on webhooks, from the command line and over HTTP. */
export class Webhooks {
  readonly #parts: WebhooksParts;
  readonly #client: WebhookClient;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
    const { allowHosts, version } = parts;
    this.#client = new WebhookClient({ allowHosts, limits: DEFAULT_WEBHOOK_LIMITS, version });
  }

  /** The oldest first. */
  list(): Promise<Webhook[]> {
    return listWebhooks(this.#parts.db);
  }

  /** @returns its id, and its secret, which is shown only now @throws WebhookRefused */
  async add(request: WebhookRequest): Promise<{ readonly id: string; readonly secret: string }> {
    const refusal = (url: URL) => this.#client.refusal(url);
    const row = newWebhook(request, refusal, DEFAULT_WEBHOOK_LIMITS, Date.now());
    if (row.place !== null && !(await this.#isKnown(row.place))) throw unknownPlace(row.place);
    await addWebhook(this.#parts.db, row, this.#parts.maxHooks);
    return { id: row.id, secret: row.secret };
  }

  /** Whether the index has the place. A webhook cannot begin on a fork that the index does not have, so that it never gets a gap. */
  async #isKnown(token: string): Promise<boolean> {
    const place = parseToken(token);
    if (!place) return false;
    if (place.height === 0) return place.hash === BEGINNING.hash;
    return this.#parts.readIndex(queries => isKnownPlace(queries, place));
  }

  /** @throws WebhookRefused for an unknown id */
  remove(id: string): Promise<void> {
    return removeWebhook(this.#parts.db, id);
  }

  /** @throws WebhookRefused for an unknown id */
  resume(id: string): Promise<void> {
    return resumeWebhook(this.#parts.db, id);
  }
}
