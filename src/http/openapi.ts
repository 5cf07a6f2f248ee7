/** `/openapi.json`, `/openapi.yaml` and `/doc`, made once from the routes as they were registered. */
import { createHash } from 'node:crypto';
import type { FastifyReply, RouteOptions } from 'fastify';
import { deprecated } from './deprecation.ts';
import { DOC_PAGE_POLICY, docPage } from './doc-page.ts';
import { HTML_TYPE, JSON_TYPE, YAML_TYPE } from './headers.ts';
import type { JsonSchema } from './openapi/components.ts';
import { buildDocument, type DocumentedRoute, type Texts } from './openapi/document.ts';
import { toYaml } from './openapi/yaml.ts';
import { ErrorBody } from './schema.ts';
import type { Api } from './server.ts';

/**
 * Documents the routes that are added after it; those without `config.response` are left out.
 * Start fails when routes and texts do not agree.
 */
export function addDocumentation(api: Api, texts: Texts): void {
  const routes: DocumentedRoute[] = [];
  api.addHook('onRoute', route => {
    const documented = route.method === 'GET' ? documentedRoute(route) : undefined;
    if (documented) routes.push(documented);
  });
  let files: Files | undefined;
  api.addHook('onReady', async () => {
    files = render(routes, texts);
  });
  for (const [path, file] of Object.entries(FILES)) {
    const cache = async () => files?.version;
    api.get(path, { config: { cache } }, async (_request, reply) => file.send(reply, files?.[file.name]));
  }
}

interface Files {
  readonly json: string;
  readonly yaml: string;
  readonly html: string;
  readonly version: string;
}

const FILES = {
  '/openapi.json': { name: 'json', send: (reply: FastifyReply, body = '') => reply.type(JSON_TYPE).send(body) },
  '/openapi.yaml': { name: 'yaml', send: (reply: FastifyReply, body = '') => reply.type(YAML_TYPE).send(body) },
  '/doc': {
    name: 'html',
    send: (reply: FastifyReply, body = '') =>
      reply.type(HTML_TYPE).header('content-security-policy', DOC_PAGE_POLICY).send(body),
  },
} as const;

function render(routes: readonly DocumentedRoute[], texts: Texts): Files {
  const document = buildDocument(routes, texts, ErrorBody as JsonSchema);
  const json = JSON.stringify(document);
  const html = docPage(document);
  // The page depends on this program too, not on the document alone.
  const version = createHash('sha256').update(json).update(html).digest('hex').slice(0, 32);
  return { json, yaml: toYaml(document), html, version };
}

function documentedRoute(route: RouteOptions): DocumentedRoute | undefined {
  const { config, schema } = route;
  if (config?.response === undefined) return undefined;
  return {
    path: route.url,
    params: schema?.params as JsonSchema | undefined,
    querystring: schema?.querystring as JsonSchema | undefined,
    response: config.response as JsonSchema,
    errors: (config.errors ?? {}) as Readonly<Record<number, JsonSchema>>,
    hasVersion: config.cache !== undefined,
    deprecated: [route.onRequest].flat().includes(deprecated),
  };
}
