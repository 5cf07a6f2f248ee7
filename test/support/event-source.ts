import { get, type IncomingMessage } from 'node:http';
import type { ToldEvent } from './log-client.ts';
import { until } from './until.ts';

/** A client of server-sent events that keeps all it was told, and stops reading when it is told to. */
export class TestEventSource {
  readonly response: IncomingMessage;
  readonly told: ToldEvent[] = [];
  lastEventId: string | undefined;
  comments = 0;
  isOver = false;
  #text = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (part: string) => this.#read(part));
    response.on('close', () => {
      this.isOver = true;
    });
    response.on('error', () => undefined); // the test has ended it
  }

  /** Connects; resolves when the head of the response is there. */
  static async open(
    port: number,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestEventSource> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    get(
      { port, host: '127.0.0.1', path, headers: { accept: 'text/event-stream', ...headers }, agent: false },
      resolve,
    ).on('error', reject);
    return new TestEventSource(await promise);
  }

  named(event: string): ToldEvent[] {
    return this.told.filter(each => each.event === event);
  }

  /** Waits until it has received this many events of this name. */
  async has(event: string, count = 1): Promise<ToldEvent[]> {
    await until(() => this.named(event).length >= count, `no ${count} events "${event}": ${JSON.stringify(this.told)}`);
    return this.named(event);
  }

  close(): void {
    this.response.destroy();
  }

  #read(part: string): void {
    this.#text += part;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      this.#take(this.#text.slice(0, end).split('\n'));
      this.#text = this.#text.slice(end + 2);
    }
  }

  #take(lines: readonly string[]): void {
    const field = (name: string) => lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.comments += lines.filter(line => line.startsWith(':')).length;
    const [id, event, data] = [field('id'), field('event'), field('data')];
    this.lastEventId = id ?? this.lastEventId;
    if (event !== undefined) this.told.push({ id: id ?? '', event, data: JSON.parse(data ?? 'null') });
  }
}
