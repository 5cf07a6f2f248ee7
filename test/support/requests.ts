import type { JsonSchema } from '../../src/api/http/openapi/components.ts';
import {
  type Entry,
  type Method,
  type OpenApiDocument,
  operationsOf,
  type Parameter,
  type RequestBody,
} from '../../src/api/http/openapi/document.ts';
import { exampleBody, examplesOf } from './example-requests.ts';
import fc, { anyText } from './fast-check.ts';

/**
 * Requests of every kind that the document allows and forbids: each parameter absent, at, below and above its bounds,
 * repeated, empty, of the wrong type and hostile, mixed with values that the chain knows.
 * @param known paths that were asked of this chain; their values are mixed in
 * @returns an operation and a path with its query, encoded
 */
export function requests(document: OpenApiDocument, known: readonly string[]): fc.Arbitrary<Request> {
  const operations = operationsOf(document);
  const pools = new Pools(operations, known);
  return fc.oneof(...operations.map(entry => requestsOf(entry, pools)));
}

export interface Request {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Sent as JSON, whatever it is. */
  readonly body?: string | undefined;
}

/** Values that were asked for, encoded as they were: by parameter, and whole requests by operation. */
export class Pools {
  readonly #values = new Map<string, Set<string>>();
  readonly #requests = new Map<string, Known[]>();

  constructor(operations: readonly Pick<Entry, 'path'>[], known: readonly string[]) {
    const routes = operations.map(entry => ({ ...entry, pattern: patternOf(entry.path) }));
    for (const asked of known) {
      const [path = '', query = ''] = asked.split('?');
      const route = routes.find(({ pattern }) => pattern.test(path));
      if (!route) continue;
      const values = { ...route.pattern.exec(path)?.groups };
      for (const part of query.split('&').filter(Boolean)) {
        const [name = '', value = ''] = part.split('=');
        values[name] = value;
      }
      this.#requests.set(route.path, [...(this.#requests.get(route.path) ?? []), values]);
      for (const [name, value] of Object.entries(values))
        this.#values.set(name, (this.#values.get(name) ?? new Set()).add(value));
    }
  }

  valuesOf(name: string): string[] {
    return [...(this.#values.get(name) ?? [])];
  }

  requestsOf(path: string): Known[] {
    return this.#requests.get(path) ?? [];
  }

  get all(): string[] {
    return [...this.#values.values()].flatMap(values => [...values]);
  }
}

/** Encoded values by name of their parameter. */
type Known = Readonly<Record<string, string>>;

/** Of two patterns that fit, the first of the document is the route: the one with fewer parameters. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);

function requestsOf({ path, method, operation }: Entry, pools: Pools): fc.Arbitrary<Request> {
  const parameters = operation.parameters ?? [];
  const base = fc.constantFrom<Known>({}, ...pools.requestsOf(path));
  const parts = fc.tuple(
    base,
    fc.tuple(...parameters.map(parameter => partOf(parameter, parameters.length, pools))),
    strangers,
    bodiesOf(operation.requestBody),
  );
  return parts.map(([asked, chosen, others, body]) => {
    let url = path;
    const query: string[] = [];
    for (const [i, { name, in: place }] of parameters.entries()) {
      const values = chosen[i] ?? (asked[name] === undefined ? [] : [`=${asked[name]}`]);
      if (place === 'path') url = url.replace(`{${name}}`, () => values[0]?.replace(/^\[?\]?=/, '') ?? '0');
      else query.push(...values.map(value => name + value));
    }
    query.push(...others);
    const { operationId } = operation;
    return { operationId, method, path: query.length > 0 ? `${url}?${query.join('&')}` : url, body };
  });
}

/** The example, as JSON with another value or without a part, and what is no JSON or too much. */
function bodiesOf(requestBody: RequestBody | undefined): fc.Arbitrary<string | undefined> {
  if (requestBody === undefined) return fc.constant(undefined);
  const example = exampleBody(requestBody);
  const names = Object.keys(JSON.parse(example));
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(example) },
    {
      weight: 3,
      arbitrary: fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map(body => JSON.stringify(body)),
    },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.nat(example.length).map(length => example.slice(0, length)) },
    { weight: 1, arbitrary: anyText() },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{"__proto__":1}', '{"constructor":{"prototype":1}}', '['.repeat(100_000)),
    },
  );
}

/**
 * How a parameter appears: `=value` once, twice, as a list, bare, or undefined for as it was asked once.
 * @param of so many parameters; most of many stay as they were, so that not every request is wrong
 */
function partOf(parameter: Parameter, of: number, pools: Pools): fc.Arbitrary<readonly string[] | undefined> {
  const value = textOf(parameter, pools);
  const unchanged = { weight: 6 * of, arbitrary: fc.constant(undefined) };
  const once = { weight: 8, arbitrary: value.map(text => [`=${text}`]) };
  if (parameter.in === 'path') return fc.oneof(unchanged, once);
  return fc.oneof(
    unchanged,
    once,
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.tuple(value, value).map(([a, b]) => [`=${a}`, `=${b}`]) },
    { weight: 1, arbitrary: value.map(text => [`[]=${text}`]) },
    { weight: 1, arbitrary: fc.constantFrom([''], ['='], ['[]'], ['[a]=1'], ['.a=1'], ['%00=1']) },
  );
}

function textOf(parameter: Parameter, pools: Pools): fc.Arbitrary<string> {
  const { name, schema } = parameter;
  const own = [...pools.valuesOf(name), ...examplesOf(parameter).map(String).map(encode)];
  const fitting = edgesOf(schema).map(String).map(encode);
  return fc.oneof(
    { weight: own.length > 0 ? 6 : 0, arbitrary: fc.constantFrom('', ...own) },
    { weight: own.length > 0 ? 2 : 0, arbitrary: fc.constantFrom('', ...own).chain(changed) },
    { weight: fitting.length > 0 ? 6 : 0, arbitrary: fc.constantFrom('', ...fitting) },
    { weight: 1, arbitrary: fc.constantFrom('', ...pools.all) },
    { weight: 2, arbitrary: fc.constantFrom(...WRONG_NUMBERS, ...WRONG_FLAGS).map(encode) },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: anyText({ maxLength: 300 }).map(encode) },
    { weight: 1, arbitrary: nested },
    { weight: 1, arbitrary: fc.json({ maxDepth: 4 }).map(encode) },
  );
}

/** The values at, right below and right above what the schema names. */
function edgesOf(schema: JsonSchema): unknown[] {
  const { minimum, maximum, enum: words = [], anyOf = [], oneOf = [], items } = schema;
  const bounds = [minimum, maximum]
    .filter(bound => bound !== undefined)
    .flatMap(bound => [bound - 1, bound, bound + 1]);
  const flags = schema.type === 'boolean' ? [true, false] : [];
  const constant = schema.const === undefined ? [] : [schema.const];
  const list = items ? edgesOf(items) : [];
  const lists =
    list.length > 1 ? [...list, list.join(','), `${list[0]},`, `${list[0]},x`, list.slice(0, 2).join(',')] : [];
  return [
    ...bounds,
    ...(schema.type === 'integer' ? [0, 1, 2, 5, 20] : []),
    ...flags,
    ...constant,
    ...words,
    ...words.map(word => String(word).toUpperCase()),
    ...lists,
    ...[...anyOf, ...oneOf].flatMap(edgesOf),
  ];
}

/** A known value in another case, without its prefix, shortened, lengthened, or with one character changed. */
const changed = (value: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    value.toUpperCase(),
    value.toLowerCase(),
    value.replace(/^0x/, ''),
    `0x${value}`,
    value.slice(0, -1),
    `${value}0`,
    `%20${value}`,
    `${value}%20`,
    `${value}.a.b`,
    `${value}::a`,
    `${value}%00`,
    value.replace(/.$/, '%F0%9F%A6%84'),
    value.replace(/[0-9]/, digit => String(9 - Number(digit))),
  );

const WRONG_NUMBERS = [
  ...['', ' 5', '+5', '5.0', '5e0', '0x5', '05', '-0', '-1', '1.5', '1e400', '-1e400', 'NaN', 'Infinity', '٥', '5n'],
  ...['2147483647', '2147483648', '4294967296', '9007199254740991', '9007199254740992', '9223372036854775807'],
  ...['9223372036854775808', '18446744073709551616', '-9223372036854775809', '1'.repeat(64), '9'.repeat(400)],
];
const WRONG_FLAGS = ['true', 'false', 'TRUE', '1', '0', 'on', 'null', 'undefined', '[]', '{}'];

/** Encoded already: some of it cannot be written otherwise. */
const HOSTILE = [
  ...[
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%ED%BF%BF',
    '%FF%FE',
    '%C0%AF',
    '%zz',
    '%',
    '%2',
    '%25',
    '%2500',
    '+',
    ';',
    '#',
    '?',
  ],
  ...[
    '..%2f..%2fetc%2fpasswd',
    '../../etc/passwd',
    '..',
    '.',
    '%2e%2e',
    '//',
    '%2F',
    '\\',
    '%5C',
    '%0d%0aX-A:1',
    '%0a',
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'latest', 'LATEST', 'by_trait', 'null', 'undefined'],
  ...["' OR 1=1 --", "'; DROP TABLE txs; --", '" UNION SELECT 1', '$1', '?', '%s', '{{x}}', '<script>'].map(encode),
  ...['é', '\u0130', 'ﬀ', '😀', '\u202e', '\ufeff', '\uffff', '\u{10ffff}', 'e\u0301'.repeat(20)].map(encode),
  'a'.repeat(101),
  'a'.repeat(251),
  'a'.repeat(10_000),
  '%F0%9F%98%80'.repeat(800),
  '0x',
  '0X',
  '0x0',
  `0x${'f'.repeat(64)}`,
  `0X${'F'.repeat(64)}`,
  'f'.repeat(64),
  `S${'0'.repeat(40)}`,
  `SP${'Z'.repeat(39)}.${'a'.repeat(128)}`,
];

/** Brackets as deep as a URL can carry, and interfaces of traits that are nearly right. */
const nested = fc.oneof(
  fc.nat(9_000).map(depth => '['.repeat(depth)),
  fc.nat(4_000).map(depth => encode('[').repeat(depth) + encode(']').repeat(depth)),
  fc.nat(1_500).map(depth => encode(`{"functions":[{"args":${'[{"type":'.repeat(depth)}1${'}]'.repeat(depth)}}]}`)),
  fc.nat(1_500).map(depth => encode(`{"functions":${'[{"outputs":'.repeat(depth)}0${'}]'.repeat(depth)}}`)),
  fc
    .record(
      {
        name: fc.oneof(fc.string(), fc.constant('\0')),
        access: fc.jsonValue(),
        args: fc.jsonValue(),
        outputs: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map(shape => encode(JSON.stringify({ functions: [shape] }))),
);

/** Parameters that no route knows. */
const strangers = fc.oneof(
  { weight: 6, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 1,
    arbitrary: fc.subarray(
      ['__proto__=1', 'constructor=1', 'constructor[prototype][x]=1', '&&', '=', 'x', '%00=%00', '%zz=1'],
      {
        minLength: 1,
      },
    ),
  },
);

/** As part of a URL. Half a character has no encoding; the bytes that would be one are among the hostile values. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
