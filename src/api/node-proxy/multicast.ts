import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ClientLedger } from '../http/clients.ts';
import { NodeClient, type NodeLog } from './node-client.ts';

/** How often the file is checked for changes, in milliseconds. */
const WATCH_MS = 1000;
const TIMEOUT_MS = 30_000;
/** Connections to each endpoint. */
const CONNECTIONS = 16;
/** Fewest bytes that a broadcast counts as, for the waiting request. */
const LEAST_COUNTED = 4096;

interface Endpoint {
  readonly url: string;
  readonly path: string;
  readonly node: NodeClient;
}

/** Sends broadcasts to further nodes. The response to the client does not wait for them; failures are only logged. */
export class Multicast {
  readonly #log: NodeLog;
  readonly #ledger: ClientLedger;
  readonly #timer: NodeJS.Timeout;
  #endpoints: readonly Endpoint[] = [];
  #text = '';
  #isClosed = false;

  /** @param file one URL a line; blank lines and comments after # are ignored. Changes are noticed. */
  constructor(file: string, log: NodeLog, ledger: ClientLedger) {
    this.#log = log;
    this.#ledger = ledger;
    this.#take(textOf(file, error => log.warn({ err: error }, UNREADABLE)));
    // Compares the text, not the times: so a change between two checks is never missed.
    this.#timer = setInterval(() => void readFile(file, 'utf8').then(this.#take, () => undefined), WATCH_MS).unref();
  }

  /**
   * Sends an unchanged body, with only the content type of the client's headers. While it waits for a slow endpoint, it counts as
   * received bytes of its client; an endpoint for which too many bytes wait does not get it.
   */
  send(client: string, contentType: string | undefined, body: Buffer): void {
    for (const endpoint of this.#endpoints)
      this.#sendTo(endpoint, client, contentType, body).catch(error =>
        // An unreachable node has a log line of its own.
        this.#log.info(
          { endpoint: endpoint.url, reason: String(error) },
          'a broadcast did not reach an extra endpoint',
        ),
      );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await Promise.all(this.#endpoints.map(({ node }) => node.close()));
  }

  async #sendTo(
    { path, node }: Endpoint,
    client: string,
    contentType: string | undefined,
    body: Buffer,
  ): Promise<void> {
    const place = this.#ledger.hold('received_bytes', client, Math.max(LEAST_COUNTED, body.length));
    if (typeof place === 'string') throw new Error('too many broadcasts wait');
    const headers = { 'content-length': String(body.length), ...(contentType && { 'content-type': contentType }) };
    const response = await node.send({ method: 'POST', path, headers, body, timeoutMs: TIMEOUT_MS, place });
    response.body.on('error', () => undefined).resume();
    if (response.status !== 200) throw new Error(`it responded with ${response.status}`);
  }

  readonly #take = (text: string): void => {
    if (text === this.#text || this.#isClosed) return;
    this.#text = text;
    const before = new Map(this.#endpoints.map(endpoint => [endpoint.url, endpoint]));
    const urls = new Set(this.#urlsIn(text));
    this.#endpoints = [...urls].map(url => before.get(url) ?? this.#open(url));
    for (const { url, node } of before.values()) if (!urls.has(url)) void node.close();
    this.#log.info({ endpoints: [...urls] }, 'broadcasts also go to extra endpoints');
  };

  #urlsIn(text: string): readonly string[] {
    const named = text
      .split('\n')
      .map(line => line.replace(/(^|\s)#.*$/, '').trim())
      .filter(line => line !== '');
    const isUrl = (line: string) => /^https?:$/.test(URL.parse(line)?.protocol ?? '');
    for (const line of named)
      if (!isUrl(line)) this.#log.warn({ line }, 'a line of --extra-tx-endpoints is not a URL; it is ignored');
    return named.filter(isUrl);
  }

  #open(url: string): Endpoint {
    const { origin, pathname, search } = new URL(url);
    const log: NodeLog = {
      warn: fields => this.#log.warn({ ...fields, endpoint: url }, 'an extra endpoint fails'),
      info: () => this.#log.info({ endpoint: url }, 'an extra endpoint responds again'),
    };
    return { url, path: pathname + search, node: new NodeClient({ node: origin, maxConnections: CONNECTIONS }, log) };
  }
}

const UNREADABLE = 'the file of --extra-tx-endpoints cannot be read; trying again';

/** Empty if it cannot be read. */
function textOf(file: string, onFailure: (error: unknown) => void): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    onFailure(error);
    return '';
  }
}
