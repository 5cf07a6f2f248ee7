/** The explorer: pages for people at `/explorer`, made from the public API only (docs/explorer.md). */
import { acceptedCoding } from '../http/compression.ts';
import { redirect } from '../http/conventions.ts';
import { ApiError } from '../http/errors.ts';
import type { Api } from '../http/server.ts';
import type { ExplorerOptions } from '../routes/api.ts';
import { type Assets, loadAssets } from './assets.ts';
import { EXPLORER_PATH, PAGE_PATHS } from './paths.ts';
import type { PageSender } from './sender.ts';

/** Adds all pages and their assets. */
export function addExplorer(api: Api, options: ExplorerOptions): void {
  const assets = loadAssets();
  const headers = securityHeaders(options.imagesUrl);
  // The pages are 60 modules, so the first request for one loads them.
  let pages: Promise<PageSender> | undefined;
  const sender = () => {
    pages ??= import('./sender.ts').then(({ pageSender }) => pageSender(api, options, assets, headers));
    return pages;
  };
  for (const path of [...PAGE_PATHS, '/*'] as const)
    api.get(EXPLORER_PATH + path, async (request, reply) => (await sender())(path, request, reply));
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

/** Allows only files of this server, no inline script or style, and no frame of another site. */
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

function addAssetRoute(api: Api, assets: Assets, headers: Readonly<Record<string, string>>): void {
  api.get<{ Params: { version: string; name: string } }>(
    `${EXPLORER_PATH}/assets/:version/:name`,
    async (request, reply) => {
      const { version, name } = request.params;
      const asset = assets.find(name);
      if (!asset) throw new ApiError(404, 'There is no such file');
      const coding = acceptedCoding(request.headers['accept-encoding']);
      // A page of an earlier version gets the file of this version, without caching it.
      const lasting = version === assets.version ? 'public, max-age=31536000, immutable' : 'no-cache';
      reply.headers({ ...headers, 'content-type': asset.type, 'cache-control': lasting, vary: 'Accept-Encoding' });
      if (coding === undefined) return reply.send(asset.body);
      return reply.header('content-encoding', coding).send(await asset.compressed(coding));
    },
  );
}
