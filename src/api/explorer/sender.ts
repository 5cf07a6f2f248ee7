import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matches } from '../http/caching.ts';
import { acceptedCoding, compress } from '../http/compression.ts';
import { redirect } from '../http/conventions.ts';
import { OWN_REQUEST } from '../http/deprecation.ts';
import { ApiError } from '../http/errors.ts';
import { HTML_TYPE } from '../http/headers.ts';
import type { Api } from '../http/server.ts';
import type { ExplorerOptions } from '../routes/api.ts';
import type { Assets } from './assets.ts';
import { type ApiClient, apiClient } from './client.ts';
import { document } from './layout.ts';
import type { PageContent, PageRenderer, PageRequest } from './page.ts';
import { errorPage } from './pages/error.ts';
import { PAGES } from './pages/pages.ts';
import { withNames, withTokenAmounts } from './parts/slots.ts';
import { EXPLORER_PATH, type PagePath } from './paths.ts';

/** Sends the page of a path below `/explorer`; `/*` is any path without a page. */
export type PageSender = (path: PagePath | '/*', request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Makes a page and sends it with its frame, compressed, or as a 304 if the browser has it. */
export function pageSender(
  api: Api,
  { version, network, state }: ExplorerOptions,
  assets: Assets,
  headers: Readonly<Record<string, string>>,
): PageSender {
  const make = async (path: PagePath | '/*', request: FastifyRequest) => {
    // The requests for a page count for its reader.
    const client = apiClient(asked => api.inject({ ...asked, headers: OWN_REQUEST, remoteAddress: request.client }));
    const content = await contentOf(path === '/*' ? noPage : PAGES[path], client, request, network);
    if (!('body' in content)) return { content, asked: client.asked };
    const body = await withNames(client, await withTokenAmounts(client, content.body));
    return { content: { ...content, body }, asked: client.asked };
  };
  return async (path, request, reply) => {
    const base = pathToRoot(request.url);
    const {
      made: { content: made, asked },
      isMixed,
    } = await inOneState(state, () => make(path, request));
    if ('to' in made) return redirect(reply.removeHeader('access-control-allow-origin'), 302, base + made.to);
    const here = hereOf(request.url);
    const frame = { base, here, version, network, asked, isMixed, assetVersion: assets.version };
    const text = Buffer.from(document(made, frame).toString());
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    reply
      .code(made.status ?? 200)
      .headers({ ...headers, 'content-type': HTML_TYPE, 'cache-control': 'no-cache', vary: 'Accept-Encoding', etag })
      .removeHeader('access-control-allow-origin')
      .removeHeader('access-control-expose-headers');
    if (made.retryAfter) reply.headers({ 'retry-after': made.retryAfter, refresh: made.retryAfter });
    if (reply.statusCode === 200 && matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    const coding = acceptedCoding(request.headers['accept-encoding']);
    if (coding === undefined) return reply.send(text);
    return reply.header('content-encoding', coding).send(await compress(text, coding));
  };
}

/** Most tries for a page; the last one is sent in any case, even if blocks arrive without pause. */
const TRIES = 3;

/** Makes a page again if the state moved between its requests, so that its figures are of one state. */
async function inOneState<T>(
  state: () => string,
  make: () => Promise<T>,
): Promise<{ readonly made: T /** The figures may be of several states. */; readonly isMixed: boolean }> {
  for (let tries = 1; ; tries++) {
    const before = state();
    const made = await make();
    const isMixed = state() !== before;
    if (!isMixed || tries === TRIES) return { made, isMixed };
  }
}

const noPage: PageRenderer = async () => {
  throw new ApiError(404, 'There is no such page');
};

/** The content of a page; a failure becomes a page with the status of the API. */
async function contentOf(page: PageRenderer, client: ApiClient, request: FastifyRequest, network: string) {
  const asked: PageRequest = {
    params: request.params as Readonly<Record<string, string>>,
    query: firstValues(request.query as Readonly<Record<string, unknown>>),
    network,
  };
  try {
    return await page(client, asked);
  } catch (error) {
    return errorPage(asError(error, request)) satisfies PageContent;
  }
}

function asError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  request.log.error({ err: error, reqId: request.id, url: request.url }, 'a page of the explorer failed');
  return new ApiError(500, 'Something went wrong on our side');
}

const firstValues = (query: Readonly<Record<string, unknown>>): PageRequest['query'] =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const first: unknown = Array.isArray(value) ? value[0] : value;
      return [name, typeof first === 'string' ? first : undefined];
    }),
  );

/** `../` for every folder of the URL below `/explorer/`; that of `/explorer` itself is above it. */
function pathToRoot(url: string): string {
  const [path = ''] = url.split('?');
  const below = path.slice(EXPLORER_PATH.length);
  return below === '' ? 'explorer/' : '../'.repeat(below.split('/').length - 2) || './';
}

/** The URL of the page, relative to the root: links within the page need it, as `<base>` is another place. */
function hereOf(url: string): string {
  const below = url.slice(EXPLORER_PATH.length);
  return below.startsWith('/') ? below.slice(1) : `../explorer${below}`;
}
