import {
  type Entry,
  JSON_MEDIA,
  type OpenApiDocument,
  operationsOf,
  type Parameter,
  type RequestBody,
} from '../../src/api/http/openapi/document.ts';
import type { ApiResponse, Asked } from './test-index.ts';

/** A stream has no end: the test does not accept one, and gets 406. */
export const ENDLESS = 'streamEventsV3';

/**
 * Nothing is found: the sample chain has none of these transactions, no PoX 5, no microblock on its tip, and the principals of the examples moved no token and mined no block.
 */
export const NOT_IN_SAMPLE =
  /PoxTransactionsV2$|^getUnanchoredTxsV1$|Bond|^getStakingSigner(s|Stakers)?V3$|^getStakingCycleSignerStakersV3$|^getPrincipalStakingRewardsV3$|^getPrincipalFtTransfersV3$|^getPrincipalMiningRewardsV3$/;

/** A request that the document shows how to make. */
export interface ExampleRequest extends Asked {
  readonly operationId: string;
  /** As in the document. */
  readonly path: string;
  /** The query parameters that it has, by name. */
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * Every request that follows from the examples of the document: for each combination of examples of what is required,
 * without more, with each value of each further parameter, and with each pair of those. Words, `true` and `false`, and
 * defaults are examples of their parameters.
 */
export function exampleRequests(document: OpenApiDocument): ExampleRequest[] {
  return operationsOf(document).flatMap(entry => {
    const { parameters = [] } = entry.operation;
    const optional = parameters.filter(({ required }) => !required);
    const bases = combinations(parameters.filter(({ required }) => required));
    const additions = [[], ...optional.map(one => [one]), ...pairs(optional)].flatMap(combinations);
    return bases.flatMap(base => additions.map(added => requestOf(entry, [...base, ...added])));
  });
}

/** The values to try of a parameter. */
export function examplesOf({ name, schema, example, examples }: Parameter): readonly unknown[] {
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  if (example !== undefined) return [example];
  if (schema.enum !== undefined) return schema.enum;
  if (schema.items?.enum !== undefined) return [...schema.items.enum, schema.items.enum.slice(0, 2).join(',')];
  if (schema.type === 'boolean') return [true, false];
  if (schema.default !== undefined) return [schema.default];
  throw new Error(`the parameter ${name} has no example`);
}

/** The text of a body that the document shows. */
export const exampleBody = ({ content }: RequestBody): string => JSON.stringify(content[JSON_MEDIA].example);

type Chosen = readonly (readonly [parameter: Parameter, value: unknown])[];

const combinations = (parameters: readonly Parameter[]): Chosen[] =>
  parameters.reduce<Chosen[]>(
    (all, parameter) =>
      all.flatMap(chosen => examplesOf(parameter).map(value => [...chosen, [parameter, value] as const])),
    [[]],
  );

const pairs = <T>(items: readonly T[]): T[][] => items.flatMap((a, i) => items.slice(i + 1).map(b => [a, b]));

function requestOf({ path, method, operation }: Entry, chosen: Chosen): ExampleRequest {
  const { operationId, requestBody } = operation;
  const inPath = new Map(
    chosen.filter(([{ in: place }]) => place === 'path').map(([{ name }, value]) => [name, value]),
  );
  const query = Object.fromEntries(
    chosen.filter(([{ in: place }]) => place === 'query').map(([{ name }, value]) => [name, value]),
  );
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(inPath.get(name))));
  const url = pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled;
  return { operationId, path, method, url, body: requestBody && exampleBody(requestBody), query };
}

/**
 * What the document says is answered otherwise: `address` beside the other two, two names of a block, events of both or of neither,
 * `until_block` with microblocks or a height.
 */
const isContradiction = ({ operationId, query }: ExampleRequest): boolean =>
  (operationId === 'getMempoolTransactionListV1' && 'address' in query && Object.keys(query).some(isOtherAddress)) ||
  (operationId === 'getFilteredEventsV1' && 'tx_id' in query === 'address' in query) ||
  (operationId === 'getAccountNoncesV1' && 'block_height' in query && 'block_hash' in query) ||
  ('until_block' in query && (query.unanchored === true || 'height' in query)) ||
  ('at' in query && (query.unanchored === true || NAMES_OF_A_STATE.some(name => name in query)));
const NAMES_OF_A_STATE = ['until_block', 'height', 'block_height', 'block_hash'];
const isOtherAddress = (name: string): boolean => name === 'sender_address' || name === 'recipient_address';

/** What to do about an example that finds nothing. */
const NOT_FOUND_HINT = 'give it another example, or name it in NOT_IN_SAMPLE of test/support/example-requests.ts';

/** What is wrong with the response to an example; undefined when nothing is. `ask` of the index has compared its body with the schema. */
export function problemOfExample(request: ExampleRequest, { status, body }: ApiResponse): string | undefined {
  const hasNone = NOT_IN_SAMPLE.test(request.operationId);
  if (status === 404 && hasNone) return undefined;
  if (status !== (isContradiction(request) ? 400 : request.operationId === ENDLESS ? 406 : 200))
    return `${status} ${request.url}`;
  const findsNothing = Object.keys(request.query).length < 2 && body.results?.length === 0;
  return findsNothing && !hasNone ? `nothing found: ${request.url} (${NOT_FOUND_HINT})` : undefined;
}
