import type { Logger } from 'pino';
import { WebhookDeliverer } from '../webhooks/deliverer.ts';
import { DEFAULT_WEBHOOK_LIMITS } from '../webhooks/limits.ts';
import { openWebhooksDb, type WebhooksPlace } from '../webhooks/open.ts';
import { WebhookClient } from '../webhooks/post.ts';
import type { IndexView } from './index-view.ts';

export interface WebhookOptions extends WebhooksPlace {
  /** What may be private and have any port. */
  readonly hooksAllowHosts: readonly string[] | undefined;
}

export interface WebhookParts {
  readonly view: IndexView;
  /** Whether this process writes the index: that one delivers. */
  readonly isActive: () => boolean;
  readonly version: string;
  readonly logger: Logger;
}

export interface RunningWebhooks {
  close(): Promise<void>;
}

/** Delivers webhooks from what this process sees of the index. Throws the two database errors. */
export async function startWebhooks(options: WebhookOptions, parts: WebhookParts): Promise<RunningWebhooks> {
  const { view, isActive, version, logger } = parts;
  const db = await openWebhooksDb(options);
  const client = new WebhookClient({
    allowHosts: options.hooksAllowHosts ?? [],
    limits: DEFAULT_WEBHOOK_LIMITS,
    version,
  });
  let failure: string | undefined;
  const deliverer = new WebhookDeliverer({
    db,
    index: view.index,
    changes: view,
    isActive,
    post: (url, body, signature, signal) => client.post(url, body, signature, signal),
    onFailure: error => {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== failure) logger.warn({ err: error }, 'webhooks are not delivered; trying again');
      failure = text;
    },
    // Without the URL, which may have a secret.
    onRefusal: (hook, error, isParked) =>
      logger.warn({ hook, error }, isParked ? 'a webhook is parked' : 'a webhook was not confirmed'),
  });
  deliverer.start();
  return {
    close: async () => {
      await deliverer.close();
      await db.close();
    },
  };
}
