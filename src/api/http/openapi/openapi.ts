/** `/openapi.json`, `/openapi.yaml` and `/doc`, collected from the schemas of the routes. */
import { createHash } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyReply } from 'fastify';
import { HTML_TYPE, JSON_TYPE, YAML_TYPE } from '../headers.ts';
import type { Api } from '../server.ts';
import { docPage } from './doc-page.ts';
import { DOC_PAGE_POLICY } from './doc-page-assets.ts';
import { type OpenApiDocument, publishedDocument, publishedSchema } from './document.ts';

/** The words of the document that belong to no route. */
export type Overview = OpenApiDocument['info'] & Pick<OpenApiDocument, 'tags'>;

/** Documents the routes of plugins that are registered after it; those without a tag are left out. */
export function addDocumentation(api: Api, { tags, ...info }: Overview): void {
  api.register(swagger, {
    openapi: { openapi: '3.1.0', info, servers: [{ url: '/' }], security: [], tags: [...tags] },
    hideUntagged: true,
    convertConstToEnum: false,
    transform: ({ url, route }) => ({ url, schema: publishedSchema(route) }),
    transformObject: document =>
      publishedDocument((document as unknown as { openapiObject: OpenApiDocument }).openapiObject) as never,
  });
  let files: Files | undefined;
  const made = (): Files => {
    files ??= render(api);
    return files;
  };
  for (const [path, file] of Object.entries(FILES)) {
    const cache = () => made().version;
    // Hot for being compressed: the page is ten times as large without.
    api.get(path, { config: { cache, hot: true } }, async (_request, reply) => file.send(reply, made()[file.name]()));
  }
}

interface Files {
  json(): string;
  /** Built on the first request: it takes longer than the rest of the document, and few clients need it. */
  yaml(): string;
  html(): string;
  readonly version: string;
}

const FILES = {
  '/openapi.json': { name: 'json', send: (reply: FastifyReply, body: string) => reply.type(JSON_TYPE).send(body) },
  '/openapi.yaml': { name: 'yaml', send: (reply: FastifyReply, body: string) => reply.type(YAML_TYPE).send(body) },
  '/doc': {
    name: 'html',
    send: (reply: FastifyReply, body: string) =>
      reply.type(HTML_TYPE).header('content-security-policy', DOC_PAGE_POLICY).send(body),
  },
} as const;

function render(api: Api): Files {
  const document = api.swagger() as unknown as OpenApiDocument;
  const json = JSON.stringify(document);
  const html = docPage(document);
  // The page depends on this program too, not on the document alone.
  const version = createHash('sha256').update(json).update(html).digest('hex').slice(0, 32);
  return { json: () => json, yaml: () => api.swagger({ yaml: true }), html: () => html, version };
}
