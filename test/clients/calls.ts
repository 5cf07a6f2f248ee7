import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A call of a published client. */
export interface ClientCall {
  /** Name and version of the package. */
  readonly client: string;
  /** As its documentation calls it. */
  readonly method: string;
  readonly run: () => Promise<unknown>;
  /** Why the hosted API's software refuses it too. */
  readonly refused?: string;
}

/** A request of a client, and what the API answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

/**
 * - `works`: the client gave a result, and no response was an error.
 * - `not yet`: the API has no such route, or no such faucet.
 * - `refused`: no API of today has it.
 * - `wrong`: what should work does not.
 */
export type Result = 'works' | 'not yet' | 'refused' | 'wrong';

export interface Outcome {
  readonly call: ClientCall;
  readonly result: Result;
  /** What went wrong. */
  readonly why?: string;
  readonly exchanges: readonly Exchange[];
}

/** What clients talk to: it passes everything on to the API, and keeps what was said. */
export interface Listener {
  readonly url: string;
  readonly exchanges: Exchange[];
}

/** @param exchanges where it notes what was said */
export async function listenBetween(
  api: string,
  t: Pick<TestContext, 'after'>,
  exchanges: Exchange[] = [],
): Promise<Listener> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url = '/', headers } = request;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const fromApi = await fetch(api + url, { method, headers: passedOn(headers), body, redirect: 'manual' });
    const text = await fromApi.text();
    exchanges.push({ method, path: url, status: fromApi.status, text });
    const type = fromApi.headers.get('content-type') ?? 'text/plain';
    response.writeHead(fromApi.status, { 'content-type': type }).end(text);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges };
}

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'keep-alive'],
]);

const passedOn = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OF_ONE_CONNECTION.has(name) ? [[name, value]] : [],
    ),
  );

/** Makes the calls, one after the other. */
export async function outcomesOf(calls: readonly ClientCall[], { exchanges }: Listener): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const call of calls) {
    exchanges.length = 0;
    const error = await call.run().then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : JSON.stringify(thrown)) ?? 'thrown',
    );
    outcomes.push(outcomeOf(call, [...exchanges], error));
  }
  return outcomes;
}

/** The API's responses for routes and faucets that it does not have. */
const NOT_HERE = /Route [A-Z]+:.* not found|[Ff]aucet is not (configured|enabled|available)/;

function outcomeOf(call: ClientCall, exchanges: readonly Exchange[], error: string | undefined): Outcome {
  if (call.refused !== undefined) return { call, result: 'refused', why: call.refused, exchanges };
  const absent = exchanges.find(({ status, text }) => status >= 400 && NOT_HERE.test(text));
  if (absent) return { call, result: 'not yet', exchanges };
  const failed = exchanges.find(({ status }) => status >= 400);
  if (error === undefined && !failed) return { call, result: 'works', exchanges };
  const said =
    failed === undefined ? '' : ` (${failed.method} ${failed.path}: ${failed.status} ${failed.text.slice(0, 200)})`;
  return { call, result: 'wrong', why: `${error ?? 'an error'}${said}`, exchanges };
}
