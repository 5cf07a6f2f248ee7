import { createHmac } from 'node:crypto';
import { withDeadline } from '../../base/lib/deadline.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import {
  Destinations,
  type Resolver,
  systemResolver,
  trustingLookup,
  vettedLookup,
} from '../../base/net/destinations.ts';
import { exchange } from '../../base/net/exchange.ts';
import { DEFAULT_PORTS } from '../../metadata/fetch/fetch-document.ts';
import type { WebhookLimits } from './webhook.ts';

interface WebhookClientOptions {
  /** Destinations that may be private and have any port: see DestinationRules. */
  readonly allowHosts: readonly string[];
  readonly limits: Pick<WebhookLimits, 'connectMs' | 'responseMs'>;
  /** For the User-Agent. */
  readonly version: string;
  /** Addresses of a name; the system's resolver by default. */
  readonly resolver?: Resolver;
}

/** POSTs to URLs of webhooks: public addresses only, as for token metadata (SECURITY.md); redirects are not followed. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #destinations: Destinations;
  readonly #resolver: Resolver;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
    this.#destinations = new Destinations({ allowHosts: options.allowHosts, allowPorts: DEFAULT_PORTS });
    this.#resolver = options.resolver ?? systemResolver;
  }

  /** Why the server must not send to a URL, checked without resolving it; undefined for an allowed one. */
  refusal(url: URL): string | undefined {
    return this.#destinations.refusal(url);
  }

  /** @returns why the receiver has not confirmed it, in words @throws the reason of the signal once it is aborted */
  async post(url: URL, body: string, signature: string, signal: AbortSignal): Promise<Result<true, string>> {
    const refusal = this.refusal(url);
    if (refusal !== undefined) return fail(refusal);
    const { limits, version } = this.#options;
    const lookup = this.#destinations.isAllowed(url) ? trustingLookup(this.#resolver) : vettedLookup(this.#resolver);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `stacks-index/${version} (+webhook)`,
      [SIGNATURE_HEADER]: signature,
    };
    try {
      const status = await withDeadline(limits.responseMs, signal, async stop => {
        const response = await exchange(url, { lookup, headers, connectMs: limits.connectMs, signal: stop, body });
        response.destroy(); // only the status matters
        return response.statusCode ?? 0;
      });
      return status >= 200 && status < 300 ? ok(true) : fail(`status ${status}`);
    } catch (error) {
      signal.throwIfAborted();
      return fail(error instanceof Error ? error.message || error.name : String(error));
    }
  }
}

const SIGNATURE_HEADER = 'X-Stacks-Index-Signature';

/** The header that shows that a body is ours, and when it was sent. @param seconds Unix time */
export function signatureOf(body: string, secret: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
