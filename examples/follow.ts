/**
 * Keeps a list of the transactions of an account as the chain has them: reads the past by pages of one block, goes over to the live stream
 * behind that block, and takes back what a fork removes. No transaction is missed, and none comes twice.
 *
 *     node examples/follow.ts http://127.0.0.1:3999 ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V
 *
 * It needs Node.js 24 and no package. Copy it, and change the list and the topic to those that you need (docs/past.md, docs/live.md).
 */

/** What happened to the list. */
export type Change =
  | { readonly kind: 'added'; readonly txId: string; readonly height: number }
  /** Forget everything above this height: a fork replaced it. 0: everything, as the list is read anew. */
  | { readonly kind: 'undone'; readonly above: number };

/** A block, and the place in the stream behind it. */
interface Pin {
  readonly hash: string;
  readonly token: string;
}

const PAUSE_MS = 1_000;

/**
 * Follows the transactions of a principal until the signal.
 * @param server such as `http://127.0.0.1:3999`
 */
export async function* follow(server: string, principal: string, signal: AbortSignal): AsyncGenerator<Change> {
  for (;;) {
    yield { kind: 'undone', above: 0 };
    const pin = await pinOf(server, signal);
    const isComplete = yield* readPast(server, principal, pin, signal);
    // A fork replaced the block meanwhile, or the stream no longer reaches back to it: begin again.
    if (isComplete) yield* readStream(server, principal, pin.token, signal);
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
  }
}

/** The tip, which every response names. */
async function pinOf(server: string, signal: AbortSignal): Promise<Pin> {
  const { headers } = await request(`${server}/extended/v2/blocks?limit=1`, signal);
  const [height, hash] = [headers.get('x-stacks-tip-height'), headers.get('x-stacks-tip-index-block-hash')];
  if (height === null || hash === null) throw new Error('the server has no block yet');
  return { hash, token: `${height}.${hash.slice(2, 12)}.4` }; // the end of that block: docs/spec/live.md#tokens
}

/** The list as of a block, page by page. @returns false if a fork has replaced the block */
async function* readPast(
  server: string,
  principal: string,
  { hash }: Pin,
  signal: AbortSignal,
): AsyncGenerator<Change, boolean> {
  const list = `/extended/v2/addresses/${principal}/transactions`;
  for (let next: string | undefined = `${list}?limit=50&at=${hash}`; next !== undefined; ) {
    const response: Response = await request(server + next, signal, [409]);
    if (response.status === 409) return false;
    const page = (await response.json()) as { results: { tx: { tx_id: string; block_height: number } }[] };
    for (const { tx } of page.results) yield { kind: 'added', txId: tx.tx_id, height: tx.block_height };
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return true;
}

/** What happens after an event of the stream. Returns when the server no longer knows that event. @param token its id */
async function* readStream(
  server: string,
  principal: string,
  token: string,
  signal: AbortSignal,
): AsyncGenerator<Change> {
  const topics = `topics=principal:${principal}&payload=ref`;
  for (let last = token; ; await new Promise(resolve => setTimeout(resolve, PAUSE_MS))) {
    try {
      const { body } = await request(`${server}/extended/v3/stream?${topics}&after=${last}`, signal);
      for await (const { id, event, data } of eventsOf(body)) {
        if (event === 'gap') return;
        if (event === 'rollback') yield { kind: 'undone', above: data.fork_point.height };
        if (event === 'principal-tx') yield { kind: 'added', txId: data.tx_id, height: data.block.height };
        last = id ?? last; // only now: what was not taken yet is sent again
      }
    } catch (error) {
      if (signal.aborted) throw error; // any other: connect again, from the last event on
    }
  }
}

interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: { tx_id: string; block: { height: number }; fork_point: { height: number } };
}

/** Server-sent events, which an empty line ends. */
async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = events.pop() ?? '';
    for (const lines of events) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(lines)?.[1];
      yield { id: field('id'), event: field('event'), data: JSON.parse(field('data') ?? 'null') };
    }
  }
}

async function request(url: string, signal: AbortSignal, expected: readonly number[] = []): Promise<Response> {
  const response = await fetch(url, { signal });
  if (response.ok || expected.includes(response.status)) return response;
  throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

async function main([
  server = 'http://127.0.0.1:3999',
  principal = 'ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V',
]: readonly string[]) {
  const heights = new Map<string, number>();
  for await (const change of follow(server, principal, new AbortController().signal)) {
    if (change.kind === 'added') heights.set(change.txId, change.height);
    else for (const [txId, height] of heights) if (height > change.above) heights.delete(txId);
    console.log(change, `${heights.size} transactions`);
  }
}

if (import.meta.main) void main(process.argv.slice(2));
