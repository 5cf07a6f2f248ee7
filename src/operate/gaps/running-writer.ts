import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../base/lib/app-error.ts';
import { isJsonObject } from '../../base/lib/json.ts';
import { http } from '../../base/lib/node-http.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';

/** Tries and pauses for an event that the writer cannot store now. */
const TRIES = 30;
const PAUSE_MS = 1_000;
/** Time for the response to one event, in ms. */
const RESPONSE_MS = 60_000;
/** Most characters of a response. */
const MOST_CHARACTERS = 10_000;

/** The server that writes a directory did not accept an event of a repair. */
class NotTaken extends AppError {
  override readonly name = 'NotTaken';
  override readonly kind = 'operator';

  constructor(reason: string) {
    super(`the server that writes the directory did not take an event: ${reason}`, {
      hint: 'Look into its log. What it took before stays; run the same command again, or stop the server first.',
    });
  }
}

interface Reply {
  readonly status: number;
  readonly message: string;
}

/** The process that writes a directory, reached through its socket. */
export class RunningWriter {
  readonly #socket: string;

  /** @param socket see writerSocket */
  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Whether a server listens there. */
  async isListening(): Promise<boolean> {
    try {
      return (await this.#send('GET', '/')).status === 200;
    } catch {
      return false;
    }
  }

  /** Sends events to be journaled, in their order; each is durable before the next one is sent. @throws NotTaken; the reason of the signal */
  async add(deliveries: readonly Delivery[], signal: AbortSignal): Promise<void> {
    for (const { path, body } of deliveries) await this.#addOne(path, body, signal);
  }

  async #addOne(path: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { status, message } = await this.#send('POST', path, body).catch(error => {
        throw new NotTaken(error instanceof Error ? error.message : String(error));
      });
      if (status === 200) return;
      if (status !== 503 || attempt === TRIES) throw new NotTaken(`${status} ${message}`);
      await delay(PAUSE_MS, undefined, { signal });
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body?: Uint8Array): Promise<Reply> {
    const sent = http.request({
      ...{ socketPath: this.#socket, method, path, agent: false },
      headers: { 'content-type': 'application/json', 'content-length': body?.length ?? 0 },
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text = (text + chunk).slice(0, MOST_CHARACTERS);
    return { status: response.statusCode ?? 0, message: messageIn(text) };
  }
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) && typeof body.message === 'string' ? body.message : '';
  } catch {
    return '';
  }
}
