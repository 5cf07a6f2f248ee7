/** `/openapi.json`, `/openapi.yaml` and `/doc`, collected from the schemas of the routes. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, RouteOptions } from 'fastify';
import { stringify } from 'yaml';
import { HTML_TYPE, JSON_TYPE, YAML_TYPE } from '../headers.ts';
import type { Api } from '../server.ts';
import { docPage } from './doc-page.ts';
import { DOC_PAGE_POLICY } from './doc-page-assets.ts';
import { DocumentBuilder, type OpenApiDocument } from './document.ts';
import { entryOf } from './operation.ts';

/** The texts of the document that belong to no route. */
export type Overview = OpenApiDocument['info'] & Pick<OpenApiDocument, 'tags'>;

/** Documents the routes of plugins that are registered after it; those without a tag are left out. */
export function addDocumentation(api: Api, overview: Overview): void {
  const routes: RouteOptions[] = [];
  api.addHook('onRoute', route => void routes.push(route));
  let files: Files | undefined;
  let rendering: Promise<Files> | undefined;
  const made = async (): Promise<Files> => {
    rendering ??= render(routes, overview);
    files = await rendering;
    return files;
  };
  for (const [path, file] of Object.entries(FILES)) {
    const cache = () => files?.version ?? made().then(({ version }) => version);
    // Hot, to be compressed: uncompressed, the page is ten times as large.
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

/** Routes that one turn of the event loop takes. */
const ROUTES_AT_ONCE = 20;

/** Makes the files in many turns of the event loop: one turn for all would take more than 100 ms. */
async function render(routes: readonly RouteOptions[], overview: Overview): Promise<Files> {
  const builder = new DocumentBuilder();
  for (const [i, route] of routes.entries()) {
    const entry = entryOf(route);
    if (entry) builder.add(entry);
    if (i % ROUTES_AT_ONCE === 0) await nextTurn();
  }
  const document = builder.document(overview);
  await nextTurn();
  const json = JSON.stringify(document);
  await nextTurn();
  let html = '';
  for (const part of docPage(document)) {
    html += part;
    await nextTurn();
  }
  // The page changes with this program too, not only with the document.
  const version = createHash('sha256').update(json).update(html).digest('hex').slice(0, 32);
  let yaml: Promise<string> | undefined;
  const yamlOnce = () => {
    yaml ??= yamlOf(document);
    return yaml;
  };
  return { json: () => json, yaml: yamlOnce, html: () => html, version };
}

/** The document as YAML. Each path and each schema is made in a turn of its own: YAML takes several times as long as the rest of the document. */
async function yamlOf({ paths, components, ...head }: OpenApiDocument): Promise<string> {
  const texts = [stringify(head), 'paths:\n'];
  for (const entry of Object.entries(paths)) texts.push(await entryInTurn(entry, 1));
  texts.push('components:\n  schemas:\n');
  for (const entry of Object.entries(components.schemas)) texts.push(await entryInTurn(entry, 2));
  return texts.join('');
}

/** A member of an object in YAML, without anchors: examples may share values. @param depth of the object */
async function entryInTurn(entry: readonly [name: string, value: unknown], depth: number): Promise<string> {
  await nextTurn();
  return stringify(Object.fromEntries([entry]), { aliasDuplicateObjects: false }).replaceAll(
    /^(?=.)/gm,
    '  '.repeat(depth),
  );
}
