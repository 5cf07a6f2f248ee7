/** `/openapi.json`, `/openapi.yaml` and `/doc`, collected from the schemas of the routes. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import type { FastifyReply } from 'fastify';
import { stringify } from 'yaml';
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
  });
  let files: Files | undefined;
  let rendering: Promise<Files> | undefined;
  const made = async (): Promise<Files> => {
    rendering ??= render(api);
    files = await rendering;
    return files;
  };
  for (const [path, file] of Object.entries(FILES)) {
    const cache = () => files?.version ?? made().then(({ version }) => version);
    // Hot for being compressed: the page is ten times as large without.
    api.get(path, { config: { cache, hot: true } }, async (_request, reply) =>
      file.send(reply, await (await made())[file.name]()),
    );
  }
}

interface Files {
  json(): string;
  /** Built on the first request: it takes longer than the rest of the document, and few clients need it. */
  yaml(): Promise<string>;
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

/** Makes each file in a turn of the event loop of its own: together they take more than 100 ms. */
async function render(api: Api): Promise<Files> {
  const collected = api.swagger() as unknown as OpenApiDocument;
  await nextTurn();
  const document = publishedDocument(collected);
  await nextTurn();
  const json = JSON.stringify(document);
  await nextTurn();
  const html = docPage(document);
  await nextTurn();
  // The page depends on this program too, not on the document alone.
  const version = createHash('sha256').update(json).update(html).digest('hex').slice(0, 32);
  let yaml: Promise<string> | undefined;
  const yamlOnce = () => {
    yaml ??= yamlOf(document);
    return yaml;
  };
  return { json: () => json, yaml: yamlOnce, html: () => html, version };
}

/** The document as YAML. Each path and each schema is made in a turn of its own: all take a multiple of the rest of the document. */
async function yamlOf({ paths, components, ...head }: OpenApiDocument): Promise<string> {
  const texts = [stringify(head), 'paths:\n'];
  for (const entry of Object.entries(paths)) texts.push(await entryInTurn(entry, 1));
  texts.push('components:\n  schemas:\n');
  for (const entry of Object.entries(components.schemas)) texts.push(await entryInTurn(entry, 2));
  return texts.join('');
}

/** A member of an object in YAML. @param depth of the object */
async function entryInTurn(entry: readonly [name: string, value: unknown], depth: number): Promise<string> {
  await nextTurn();
  return stringify(Object.fromEntries([entry])).replaceAll(/^(?=.)/gm, '  '.repeat(depth));
}
