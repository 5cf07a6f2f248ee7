/** The explorer: pages for people at `/explorer`, made of the public API alone (docs/explorer.md). */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { matches } from '../http/caching.ts';
import { acceptedCoding, compress } from '../http/compression.ts';
import { redirect } from '../http/conventions.ts';
import { ApiError, unavailable } from '../http/errors.ts';
import { HTML_TYPE } from '../http/headers.ts';
import type { Api } from '../http/server.ts';
import type { ExplorerOptions } from '../routes/api.ts';
import { type Assets, loadAssets } from './assets.ts';
import { type ApiClient, apiClient } from './client.ts';
import { document, type PageContent } from './layout.ts';
import type { PageFile, PageRenderer, PageRequest } from './page.ts';
import { errorPage } from './pages/error.ts';
import { PAGES } from './pages/pages.ts';
import { withNames } from './parts/names.ts';
import { withTokenAmounts } from './parts/token-amounts.ts';

const EXPLORER_PATH = '/explorer';

/** Adds all pages and their assets. */
export function addExplorer(api: Api, options: ExplorerOptions): void {
  const assets = loadAssets();
  const headers = securityHeaders(options.imagesUrl);
  const send = pageSender(api, options, assets, headers);
  for (const [path, page] of PAGES) api.get(EXPLORER_PATH + path, (request, reply) => send(page, request, reply));
  const nothing: PageRenderer = async () => {
    throw new ApiError(404, 'There is no such page');
  };
  api.get(`${EXPLORER_PATH}/*`, (request, reply) => send(nothing, request, reply));
  addAssetRoute(api, assets, headers);
  for (const [path, page] of PASTED)
    api.get(`${path}/:id`, (request, reply) => {
      const { id } = request.params as { readonly id: string };
      return redirect(reply, 302, `..${EXPLORER_PATH}/${page}/${encodeURIComponent(id)}`);
    });
}

/** Paths of the explorer that people know: a pasted link works once its host is replaced. */
const PASTED = [
  ['/txid', 'tx'],
  ['/block', 'block'],
  ['/address', 'address'],
] as const;

/** Nothing but this server's own files, no inline script or style, and no page of others around it. */
function securityHeaders(imagesUrl: string): Readonly<Record<string, string>> {
  const host = URL.parse(imagesUrl)?.origin;
  const images = host === undefined || host === 'null' ? '' : ` ${host}`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${images}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types explorer',
  ].join('; ');
  return {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'cross-origin-opener-policy': 'same-origin',
  };
}

/** Makes a page and sends it: with its frame, compressed, and as a 304 where the browser has it. */
function pageSender(
  api: Api,
  { version, network }: ExplorerOptions,
  assets: Assets,
  headers: Readonly<Record<string, string>>,
) {
  return async (page: PageRenderer, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const client = apiClient(request => api.inject(request));
    const base = pathToRoot(request.url);
    const made = await contentOf(page, client, request);
    if ('to' in made) return redirect(reply.removeHeader('access-control-allow-origin'), 302, base + made.to);
    if ('file' in made) return sendFile(made, reply, headers);
    const here = hereOf(request.url);
    const body = await withNames(client, await withTokenAmounts(client, made.body));
    const frame = { base, here, version, network, asked: client.asked, assetVersion: assets.version };
    const text = Buffer.from(document({ ...made, body }, frame).toString());
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

function sendFile(
  { file, type, text }: PageFile,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  return reply
    .headers({
      ...headers,
      'content-type': type,
      'content-disposition': `attachment; filename="${encodeURIComponent(file)}"`,
    })
    .removeHeader('access-control-allow-origin')
    .send(text);
}

/** A failure becomes a page with the status that the API gave. */
async function contentOf(page: PageRenderer, client: ApiClient, request: FastifyRequest) {
  const asked: PageRequest = {
    params: request.params as Readonly<Record<string, string>>,
    query: firstValues(request.query as Readonly<Record<string, unknown>>),
  };
  try {
    return await page(client, asked);
  } catch (error) {
    return errorPage(asError(error, request)) satisfies PageContent;
  }
}

function asError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RetryableDatabaseError) return unavailable();
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

/** The page itself, relative to the root: a link within it must name it, as `<base>` is another place. */
function hereOf(url: string): string {
  const below = url.slice(EXPLORER_PATH.length);
  return below.startsWith('/') ? below.slice(1) : `../explorer${below}`;
}

function addAssetRoute(api: Api, assets: Assets, headers: Readonly<Record<string, string>>): void {
  api.get<{ Params: { version: string; name: string } }>(
    `${EXPLORER_PATH}/assets/:version/:name`,
    async (request, reply) => {
      const { version, name } = request.params;
      const asset = assets.find(name);
      if (!asset) throw new ApiError(404, 'There is no such file');
      const coding = acceptedCoding(request.headers['accept-encoding']);
      // A page of an earlier version gets the file of this one, and does not keep it.
      const lasting = version === assets.version ? 'public, max-age=31536000, immutable' : 'no-cache';
      reply.headers({ ...headers, 'content-type': asset.type, 'cache-control': lasting, vary: 'Accept-Encoding' });
      if (coding === undefined) return reply.send(asset.body);
      return reply.header('content-encoding', coding).send(await asset.compressed(coding));
    },
  );
}
