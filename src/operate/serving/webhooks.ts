import type { Logger } from 'pino';
import { parseToken } from '../../api/live/token.ts';
import { WebhookDeliverer } from '../../api/webhooks/deliverer.ts';
import { WebhookClient } from '../../api/webhooks/post.ts';
import { openWebhooksDb, type WebhooksLocation } from '../../api/webhooks/store.ts';
import { DEFAULT_WEBHOOK_LIMITS, type Webhook } from '../../api/webhooks/webhook.ts';
import { Webhooks } from '../../api/webhooks/webhooks.ts';
import { LoopTurns } from '../../base/lib/loop-turns.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { IndexView } from './index-view.ts';

const PARKED = 'a webhook is parked after a day of failures: `stacks-index hooks resume ID` continues where it stopped';

interface WebhookOptions extends WebhooksLocation {
  /** Hosts that may be private and have any port. */
  readonly hooksAllowHosts: readonly string[] | undefined;
  readonly maxHooks: number;
}

interface WebhookParts {
  readonly view: IndexView;
  /** Whether this process writes the index: only that process delivers. */
  readonly isActive: () => boolean;
  readonly version: string;
  readonly logger: Logger;
  readonly onHold: Metrics['hold'];
}

export interface RunningWebhooks {
  readonly webhooks: Webhooks;
  /** Figures for the metrics; empty while another process delivers. */
  figures(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Delivers webhooks from this process's view of the index. Throws the two database errors. */
export async function startWebhooks(options: WebhookOptions, parts: WebhookParts): Promise<RunningWebhooks> {
  const { view, isActive, version, logger, onHold } = parts;
  const db = await openWebhooksDb(options);
  const { hooksAllowHosts: allowHosts = [], maxHooks } = options;
  const client = new WebhookClient({ allowHosts, limits: DEFAULT_WEBHOOK_LIMITS, version });
  const webhooks = new Webhooks({ db, readIndex: work => view.index.read(work), maxHooks, allowHosts, version });
  let failure: string | undefined;
  const deliverer = new WebhookDeliverer({
    db,
    index: view.index,
    changes: view,
    turns: new LoopTurns({ onHold }),
    isActive,
    post: (url, body, signature, signal) => client.post(url, body, signature, signal),
    onFailure: error => {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== failure) logger.warn({ err: error }, 'webhooks are not delivered; trying again');
      failure = text;
    },
    // Not the URL, which may contain a secret.
    onRefusal: (hook, error, isParked) =>
      logger.warn({ hook, error }, isParked ? PARKED : 'a webhook was not confirmed; it is sent again'),
  });
  deliverer.start();
  const figures = async () =>
    isActive() ? { ...deliverer.counts(), ...standingOf(await webhooks.list(), view.current()?.height ?? 0) } : {};
  return {
    webhooks,
    figures,
    close: async () => {
      await deliverer.close();
      await db.close();
    },
  };
}

/** The state of an operator's webhooks. @param tip height of the chain */
function standingOf(webhooks: readonly Webhook[], tip: number) {
  const active = webhooks.filter(({ state }) => state === 'active');
  const behind = active.map(({ place }) => (place === null ? 0 : tip - (parseToken(place)?.height ?? tip)));
  return {
    active: active.length,
    failing: active.filter(({ failures }) => failures > 0).length,
    parked: webhooks.length - active.length,
    lag_blocks: Math.max(0, ...behind),
  };
}
