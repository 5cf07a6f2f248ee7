/** The documentation as one page of HTML. It loads no other file; without the script, everything but the forms works. */
import { type JsonSchema, REFERENCE } from './components.ts';
import { SCRIPT, STYLE } from './doc-page-assets.ts';
import {
  type Entry,
  JSON_MEDIA,
  type OpenApiDocument,
  operationsOf,
  type Parameter,
  type RequestBody,
  type Response,
} from './document.ts';

/** The page in parts. Each part is made when the consumer takes it: all together block the event loop for 50 ms. */
export function* docPage(document: OpenApiDocument): Generator<string> {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const groups = tags
    .map(tag => ({ ...tag, members: operations.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ members }) => members.length > 0);
  yield `<!doctype html>
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
<p class="tools" hidden><input type="search" placeholder="Search  ( / )" aria-label="Search"><button type="button" aria-label="Light or dark">◐</button></p>
${groups.map(group => `<h2>${escapeHtml(group.name)}</h2><ul>${group.members.map(contentsItem).join('')}</ul>`).join('\n')}
<h2>Records</h2><ul>${Object.keys(components.schemas).map(schemaItem).join('')}</ul>
</nav>
<main id="top">
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
${prose(info.description)}
<p>The same as a file: <a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></p>
`;
  for (const { name, description, members } of groups) {
    yield `<section><h2>${escapeHtml(name)}</h2>${prose(description)}\n`;
    yield `${members.map(operationArticle).join('\n')}</section>\n`;
  }
  yield '<section><h2>Records</h2>\n';
  for (const [name, schema] of Object.entries(components.schemas)) yield `${schemaArticle(name, schema)}\n`;
  yield `</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** Routes of several versions have one summary: the entry names its version, if any. */
function contentsItem({ path, operation: { operationId, summary, deprecated } }: Entry): string {
  const version = /\/(v\d)(?:\/|$)/.exec(path)?.[1];
  const marks = (version ? `<small>${version}</small>` : '') + (deprecated ? DEPRECATED : '');
  return `<li><a href="#${escapeHtml(operationId)}">${escapeHtml(summary)}</a>${marks}</li>`;
}

const DEPRECATED = ' <span class="tag">deprecated</span>';

const schemaItem = (name: string): string => `<li><a href="#record-${escapeHtml(name)}">${escapeHtml(name)}</a></li>`;

function operationArticle(entry: Entry): string {
  const { path, method, operation } = entry;
  const {
    operationId,
    summary,
    description = '',
    deprecated,
    'x-internal': internal,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  return `<article id="${escapeHtml(operationId)}">
<h3>${escapeHtml(summary)}${deprecated ? DEPRECATED : ''}${internal ? ' <span class="tag">internal</span>' : ''} <a class="link" href="#${escapeHtml(operationId)}"><code>${escapeHtml(operationId)}</code></a></h3>
<p class="path"><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code></p>
${prose(description)}
${parameters.length > 0 ? table(['Parameter', 'Type', ''], parameters.map(parameterRow)) : ''}
${requestBody ? table(['Body', 'Example'], [bodyRow(requestBody)]) : ''}
${method === 'get' ? form(path, parameters) : ''}
${samples(entry)}
${table(['Status', 'Body', ''], Object.entries(responses).map(responseRow))}
${exampleDetails(responses['200'])}
</article>`;
}

const parameterRow = ({ name, in: place, required, schema, description }: Parameter): string[] => [
  `<code>${escapeHtml(name)}</code><small>${place === 'path' ? 'in the path' : required ? 'required' : ''}</small>`,
  [typeText(schema), boundsText(schema)].filter(Boolean).join(', '),
  inline(description),
];

/** `0 to 50, default 20` */
function boundsText({ minimum, maximum, default: byDefault }: JsonSchema): string {
  const isBound = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const range = isBound(minimum) ? (isBound(maximum) ? `${minimum} to ${maximum}` : `at least ${minimum}`) : '';
  const given = byDefault === undefined ? '' : `default ${escapeHtml(String(byDefault))}`;
  return [range, given].filter(Boolean).join(', ');
}

const responseRow = ([status, { description, content }]: [string, Response]): string[] => [
  status,
  content
    ? Object.values(content)
        .map(({ schema }) => typeText(schema))
        .join(', ')
    : '',
  inline(description),
];

const bodyRow = ({ content }: RequestBody): string[] => [
  typeText(content[JSON_MEDIA].schema),
  `<code>${escapeHtml(JSON.stringify(content[JSON_MEDIA].example))}</code>`,
];

function exampleDetails(response: Response | undefined): string {
  const example = Object.values(response?.content ?? {})[0]?.example;
  if (example === undefined) return '';
  return `<details><summary>Example of the body</summary><pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre></details>`;
}

const exampleOf = ({ example, examples = {} }: Parameter): unknown => example ?? Object.values(examples)[0]?.value;

const encoded = (parameter: Parameter): string =>
  encodeURIComponent(String(exampleOf(parameter) ?? parameter.name)).replaceAll("'", '%27');

const actionOf = (path: string, parameters: readonly Parameter[]): string =>
  parameters.reduce((url, one) => url.replace(`{${one.name}}`, () => encoded(one)), path);

/** A form that sends the request in a new tab. Without the script, it sends the request of the examples. */
function form(path: string, parameters: readonly Parameter[]): string {
  const inputs = parameters.map(parameter => {
    const { name, in: place, required, schema } = parameter;
    const example = exampleOf(parameter);
    const value = required && example !== undefined ? ` value="${escapeHtml(String(example))}"` : '';
    const hint = escapeHtml(String(schema.default ?? example ?? ''));
    const path = place === 'path' ? ' data-in-path' : '';
    return `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}"${value} placeholder="${hint}"${path}${required ? ' required' : ''}></label>`;
  });
  return `<form action="${escapeHtml(actionOf(path, parameters))}" data-path="${escapeHtml(path)}" target="_blank">${inputs.join('')}<button>Try</button></form>`;
}

/**
 * The example request for a shell and for a program. Without the page's script, `$API` is a placeholder for the URL of
 * the API.
 */
function samples({ path, method, operation }: Entry): string {
  const { parameters = [], requestBody } = operation;
  const query = parameters.filter(one => one.in === 'query' && one.required).map(one => `${one.name}=${encoded(one)}`);
  const action = actionOf(path, parameters);
  const url = query.length > 0 ? `${action}?${query.join('&')}` : action;
  const body = requestBody && JSON.stringify(requestBody.content[JSON_MEDIA].example).replaceAll("'", '\\u0027');
  const curl = [
    'curl',
    ...(method === 'get' ? [] : [`-X ${method.toUpperCase()}`]),
    ...(body === undefined ? [] : [`-H 'content-type: ${JSON_MEDIA}' -d '${body}'`]),
    `'$API${url}'`,
  ].join(' ');
  const init = [
    ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}'`]),
    ...(body === undefined ? [] : [`headers: { 'content-type': '${JSON_MEDIA}' }`, `body: JSON.stringify(${body})`]),
  ].join(', ');
  const fetched = init === '' ? `fetch('$API${url}')` : `fetch('$API${url}', { ${init} })`;
  return `<details class="samples"><summary>Code</summary><pre data-sample="curl">${escapeHtml(curl)}</pre><pre data-sample="fetch">const response = await ${escapeHtml(fetched)};
const body = await response.json();</pre></details>`;
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
