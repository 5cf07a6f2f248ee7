import type { Entry, OpenApiDocument, Parameter } from '../../src/api/http/openapi/document.ts';
import { knownValue, readsOf, urlOf, type Values } from '../support/operations.ts';
import { withTraitInBody } from '../support/trait-body.ts';
import type { GrowingChain } from './growing-chain.ts';
import { LENGTHS, ONLY_BY_HAND, requestsByHand } from './requests/by-hand.ts';
import { valuesOf } from './requests/values.ts';

export const LIMIT = 10;

/** A request that is measured. */
export interface Request {
  readonly operationId: string;
  readonly path: string;
  /** Of a POST. */
  readonly body?: string;
  /**
   * A page whose list goes on: its last page is requested too. A function gives the length of a list without a total.
   */
  readonly pages?: true | ((blocks: number) => number);
  /** One of many combinations: it need not have a page in each chain. */
  readonly isCombination?: true;
}

/** What has no page to compare: a stream without an end, which reads what getStreamEventsV3 reads, and second paths of metadata. */
const isMeasured = ({ path, operation: { operationId } }: Entry): boolean =>
  operationId !== 'streamEventsV3' && !/^\/metadata(?!\/v1)/.test(path);

/**
 * Every operation with values of its required parameters, of quiet lists and of busy ones; the same with each known value of an optional
 * parameter; and what is written by hand.
 */
export function requestsOf(chain: GrowingChain, document: OpenApiDocument): Request[] {
  const values = valuesOf(chain);
  const byHand = requestsByHand(chain);
  return readsOf(document)
    .filter(isMeasured)
    .flatMap(entry => requestsTo(entry, values, byHand[entry.operation.operationId] ?? []))
    .flatMap(request => [request, ...postedInstead(request)]);
}

/** A search by a trait, with the trait in its body. */
function postedInstead(request: Request): Request[] {
  const posted = withTraitInBody(request.path);
  return posted ? [{ ...request, operationId: 'findContractsByTraitV1', path: posted.url, body: posted.body }] : [];
}

function requestsTo(entry: Entry, values: Values<readonly string[]>[], byHand: readonly Record<string, string>[]) {
  const { path, operation } = entry;
  const { operationId, parameters = [] } = operation;
  const has = (name: string): boolean => parameters.some(parameter => parameter.name === name);
  const requestOf = (chosen: Readonly<Record<string, string>>, isBusy: boolean): Request => ({
    operationId,
    path: urlOf(path, { ...(has('limit') && { limit: String(LIMIT) }), ...chosen }),
    // A list from a cursor has no length.
    ...(has('offset') && !('cursor' in chosen) && { pages: (isBusy && LENGTHS[operationId]) || true }),
  });
  const written = byHand.map(chosen => requestOf(chosen, false));
  if (ONLY_BY_HAND.has(operationId)) return written;
  const bases = basesOf(entry, values);
  const further = parameters
    .filter(({ required }) => !required)
    .flatMap(({ name }) => (knownValue(values, path, name) ?? []).map(value => ({ [name]: value })));
  const derived = bases.flatMap((base, i) =>
    [{}, ...further].map(more => requestOf({ ...base, ...more }, i > 0 || bases.length === 1)),
  );
  return [...derived, ...written];
}

/** Values of the required parameters that belong together. */
function basesOf({ path, operation }: Entry, values: Values<readonly string[]>[]): Record<string, string>[] {
  const required = (operation.parameters ?? []).filter(parameter => parameter.required);
  const lists = required.map(parameter => [parameter.name, listOf(parameter, path, values)] as const);
  const length = Math.max(1, ...lists.map(([, list]) => list.length));
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(lists.map(([name, list]) => [name, list[i % list.length] ?? ''])),
  );
}

function listOf({ name, schema }: Parameter, path: string, values: Values<readonly string[]>[]): readonly string[] {
  const list = knownValue(values, path, name) ?? schema.enum?.slice(0, 1).map(String);
  if (list === undefined)
    throw new Error(`the cost test has no value for ${name} of ${path}: add it to test/cost/requests/values.ts`);
  return list;
}
