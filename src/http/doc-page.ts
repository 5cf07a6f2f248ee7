/** The documentation as one page of HTML: no other file is loaded, and all but the forms works without the script. */
import { createHash } from 'node:crypto';
import { type JsonSchema, REFERENCE } from './openapi/components.ts';
import type { OpenApiDocument, Operation, Parameter, Response } from './openapi/document.ts';

/** @returns the whole page */
export function docPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).map(([path, { get }]) => ({ path, operation: get }));
  const groups = tags
    .map(tag => ({ ...tag, members: operations.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ members }) => members.length > 0);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Contents">
<a class="home" href="#top">${escapeHtml(info.title)}</a>
${groups.map(group => `<h2>${escapeHtml(group.name)}</h2><ul>${group.members.map(contentsItem).join('')}</ul>`).join('\n')}
<h2>Records</h2><ul>${Object.keys(components.schemas).map(schemaItem).join('')}</ul>
</nav>
<main id="top">
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
${prose(info.description)}
<p>The same as a file: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></p>
${groups
  .map(
    group =>
      `<section><h2>${escapeHtml(group.name)}</h2>${prose(group.description)}
${group.members.map(({ path, operation }) => operationArticle(path, operation)).join('\n')}</section>`,
  )
  .join('\n')}
<section><h2>Records</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => schemaArticle(name, schema))
  .join('\n')}
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

interface Entry {
  readonly path: string;
  readonly operation: Operation;
}

const contentsItem = ({ operation }: Entry): string =>
  `<li><a href="#${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary)}</a></li>`;

const schemaItem = (name: string): string => `<li><a href="#record-${escapeHtml(name)}">${escapeHtml(name)}</a></li>`;

function operationArticle(path: string, operation: Operation): string {
  const { operationId, summary, description = '', deprecated, parameters = [], responses } = operation;
  return `<article id="${escapeHtml(operationId)}">
<h3>${escapeHtml(summary)}${deprecated ? ' <span class="tag">deprecated</span>' : ''}</h3>
<p class="path"><b>GET</b> <code>${escapeHtml(path)}</code></p>
${prose(description)}
${parameters.length > 0 ? table(['Parameter', 'Type', ''], parameters.map(parameterRow)) : ''}
${form(path, parameters)}
${table(['Status', 'Body', ''], Object.entries(responses).map(responseRow))}
${exampleDetails(responses['200'])}
</article>`;
}

const parameterRow = ({ name, in: place, required, schema, description }: Parameter): string[] => [
  `<code>${escapeHtml(name)}</code><small>${place === 'path' ? 'in the path' : required ? 'required' : ''}</small>`,
  typeText(schema),
  inline(description),
];

const responseRow = ([status, { description, content }]: [string, Response]): string[] => [
  status,
  content ? typeText(content['application/json'].schema) : '',
  inline(description),
];

function exampleDetails(response: Response | undefined): string {
  const example = response?.content?.['application/json'].example;
  if (example === undefined) return '';
  return `<details><summary>Example of the body</summary><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre></details>`;
}

/** Sends the request in a new tab. Without the script the path is that of the examples. */
function form(path: string, parameters: readonly Parameter[]): string {
  const action = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(parameters.find(parameter => parameter.name === name)?.example ?? name)),
  );
  const inputs = parameters.map(({ name, in: place, required, schema, example }) => {
    const value = required && example !== undefined ? ` value="${escapeHtml(String(example))}"` : '';
    const hint = escapeHtml(String(schema.default ?? example ?? ''));
    const path = place === 'path' ? ' data-in-path' : '';
    return `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}"${value} placeholder="${hint}"${path}${required ? ' required' : ''}></label>`;
  });
  return `<form action="${escapeHtml(action)}" data-path="${escapeHtml(path)}" target="_blank">${inputs.join('')}<button>Try</button></form>`;
}

function schemaArticle(name: string, schema: JsonSchema): string {
  const members = schema.oneOf ?? schema.anyOf;
  const by = schema.discriminator
    ? `, told apart by <code>${escapeHtml(schema.discriminator.propertyName)}</code>`
    : '';
  return `<article id="record-${escapeHtml(name)}">
<h3>${escapeHtml(name)}</h3>
${prose(schema.description ?? '')}
${members ? `<p>One of ${members.map(typeText).join(', ')}${by}</p>` : table(['Field', 'Type', ''], fieldRows(schema))}
</article>`;
}

/** The fields of an object, with those of objects inside it. */
function fieldRows(schema: JsonSchema, prefix = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    [
      `<code>${escapeHtml(prefix + name)}</code><small>${schema.required?.includes(name) ? '' : 'optional'}</small>`,
      typeText(property),
      inline(property.description ?? ''),
    ],
    ...fieldRows(property, `${prefix}${name}.`),
  ]);
}

function typeText(schema: JsonSchema): string {
  const { $ref, type, items, enum: words, additionalProperties: others, properties } = schema;
  const members = schema.oneOf ?? schema.anyOf;
  if ($ref !== undefined) {
    const name = escapeHtml($ref.slice(REFERENCE.length));
    return `<a href="#record-${name}">${name}</a>`;
  }
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (words) return words.map(value => `<code>${escapeHtml(String(value))}</code>`).join(' | ');
  if (members) return members.map(typeText).join(' or ');
  if (items) return `list of ${typeText(items)}`;
  if (typeof others === 'object' && Object.keys(properties ?? {}).length === 0)
    return `map of text to ${typeText(others)}`;
  return escapeHtml(type === 'string' ? 'text' : (type ?? 'any'));
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `<tr>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`;
  return `<div class="scroll"><table><thead><tr>${heads.map(head => `<th>${head}</th>`).join('')}</tr></thead><tbody>
${rows.map(row).join('\n')}
</tbody></table></div>`;
}

/** Paragraphs; words between backticks are code. */
const prose = (text: string): string =>
  text === ''
    ? ''
    : text
        .split('\n\n')
        .map(paragraph => `<p>${inline(paragraph)}</p>`)
        .join('\n');

const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '');

const SCRIPT = `
document.addEventListener('submit', event => {
  const form = event.target, query = new URLSearchParams();
  let url = form.dataset.path;
  for (const input of form.querySelectorAll('input')) {
    if ('inPath' in input.dataset) url = url.replace('{' + input.name + '}', encodeURIComponent(input.value));
    else if (input.value) query.append(input.name, input.value);
  }
  event.preventDefault();
  open(query.size ? url + '?' + query : url, '_blank', 'noopener');
});
`;

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #383c44); --soft: light-dark(#f4f5f7, #1f2228); --link: light-dark(#1a55c4, #84b0ff); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1c1f24, #e4e6ea); background: light-dark(#fff, #16181c); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 13px; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: 11px; text-transform: uppercase; letter-spacing: .06em; opacity: .7; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav .home { font-weight: 600; font-size: 15px; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 66rem; }
section > h2 { margin: 3rem 0 .5rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
article { margin: 2rem 0; }
h3 { margin: 0 0 .3rem; font-size: 1.05rem; }
p { margin: .4rem 0; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
td code, p code { overflow-wrap: anywhere; }
.path { padding: .4rem .7rem; background: var(--soft); border-radius: 6px; }
.path b { margin-right: .5rem; color: light-dark(#1a7f45, #6fd198); }
.tag { padding: 0 .4rem; border: 1px solid currentColor; border-radius: 4px; font-size: 11px; font-weight: 400; opacity: .75; }
.scroll { overflow-x: auto; }
table { width: 100%; margin: .7rem 0; border-collapse: collapse; }
th { font-size: 12px; opacity: .7; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th:first-child { width: 15rem; }
th:nth-child(2) { width: 17rem; }
small { margin-left: .5rem; opacity: .65; font-weight: 400; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .7rem 0; }
label { display: grid; font-size: 12px; }
input, button { padding: .25rem .5rem; font: inherit; font-size: 13px; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 5px; }
input { width: 12rem; }
button { cursor: pointer; }
pre { max-height: 24rem; overflow: auto; padding: .7rem; background: var(--soft); border-radius: 6px; }
summary { cursor: pointer; font-size: 13px; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  th:nth-child(n) { width: auto; }
}
`;

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, no other script runs, and no other site may frame the page. */
export const DOC_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${digest(STYLE)}`,
  `script-src ${digest(SCRIPT)}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
