import type { JsonSchema } from '../../src/api/http/openapi/components.ts';
import type { Entry, OpenApiDocument, Parameter } from '../../src/api/http/openapi/document.ts';
import fc from '../support/fast-check.ts';
import { knownValue, readsOf, urlOf } from '../support/operations.ts';
import type { BuiltChain } from './build.ts';
import { fitting, type Happening } from './requests/mentions.ts';
import { type ChainValues, valuesOf } from './requests/values.ts';

type Text = fc.Arbitrary<string>;

/** Operations whose responses do not follow from the chain alone, with the reason. Neither the model nor random chains have them. */
export const BESIDE_THE_CHAIN: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^(getStatus|getServerStatusV3)$/, 'the state of the server'],
  [/^(streamEventsV3|getStreamEventsV3)$/, 'test/properties/live.ts compares the stream with the other routes'],
  [/^(getNetworkBlockTimesV1|getNetworkBlockTimeByNetworkV1|fetchFeeRateV1)$/, 'constants'],
  [/^findContractsByTraitV1$/, 'a body: test/model/busy-chains.test.ts compares it with the model'],
  [/^(getNamespacePriceV2|getNamePriceV2)$/, 'the node responds'],
  [
    /^(get(Nft|Sft|Ft)Metadata|getFungibleTokens|getFtLookalikes|searchTokens|getMetadataStatus)(V1)?$/,
    'metadata from the web',
  ],
];

export const isBesideTheChain = (operationId: string): boolean =>
  BESIDE_THE_CHAIN.some(([operations]) => operations.test(operationId));

/** Optional parameters that the model lacks, of every operation or of one, with the reason. */
export const NOT_MODELLED: Readonly<Record<string, string>> = {
  at: 'a property of its own: test/properties/as-of.ts',
  format: 'the pages of the list: test/properties/downloads.ts',
  seen_tip: 'an error after a fork: src/api/routes/extended/v3/transactions.test.ts',
  'getPrincipalBalanceChangesV3.cursor': 'the model finds a cursor only where its row is',
};

/** Of each pair a request has one: both together are refused. */
const EITHER = [
  ['until_block', 'unanchored'],
  ['until_block', 'height'],
  ['height', 'unanchored'],
  ['block_height', 'block_hash'],
  ['sender_address', 'address'],
  ['recipient_address', 'address'],
] as const;

/** A request needs one of these, though the document cannot say so. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = { getFilteredEventsV1: ['tx_id', 'address'] };

/**
 * Requests of every operation that follows from the chain, about what the chain has, and now and then about what it has not. Their
 * parameters are valid; test/requests.test.ts tries others.
 * @param isAsked of which operations; of all of these unless given
 */
export function chainRequests(
  chain: BuiltChain,
  document: OpenApiDocument,
  isAsked: (operation: Entry['operation']) => boolean = () => true,
): Text {
  const values = valuesOf(chain);
  return fc.oneof(
    ...entriesOf(document, isAsked).map(entry => ({ weight: weightOf(entry), arbitrary: requestsOf(entry, values) })),
  );
}

/**
 * Such requests by operation, each about one of the things that happened: about the transaction, the account or the name of it, as far as it names any.
 * @returns functions, as making all requests takes longer than those of a few operations
 */
export const requestsAbout = (
  chain: BuiltChain,
  document: OpenApiDocument,
  isAsked: (operation: Entry['operation']) => boolean,
  happenings: readonly Happening[],
): (() => Text)[] =>
  entriesOf(document, isAsked).map(entry => () => {
    const best = fitting(happenings, entry.path);
    const one = best.length > 0 ? fc.constantFrom(...best) : fc.constant(undefined);
    return one.chain(happening => requestsOf(entry, valuesOf(chain, happening)));
  });

const entriesOf = (document: OpenApiDocument, isAsked: (operation: Entry['operation']) => boolean): Entry[] =>
  readsOf(document).filter(({ operation }) => !isBesideTheChain(operation.operationId) && isAsked(operation));

/** What has more parameters is requested more often. */
const weightOf = ({ operation }: Entry): number => 1 + Math.floor((operation.parameters ?? []).length / 4);

type Pair = readonly [name: string, value: string | readonly string[]];

function requestsOf({ path, operation }: Entry, values: ChainValues): Text {
  const { operationId, parameters = [] } = operation;
  const oneOf = ONE_OF[operationId] ?? [];
  const known = parameters.filter(({ name }) => !(name in NOT_MODELLED || `${operationId}.${name}` in NOT_MODELLED));
  const drawn = (parameter: Parameter): fc.Arbitrary<Pair> =>
    textsOf(parameter, path, values).map(value => [parameter.name, value]);
  const required = known.filter(one => one.required).map(drawn);
  const one = known.filter(({ name }) => oneOf.includes(name)).map(drawn);
  const optional = known
    .filter(({ name, required }) => !required && !oneOf.includes(name))
    .map(parameter =>
      fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: drawn(parameter) }),
    );
  return fc
    .tuple(...required, ...(one.length > 0 ? [fc.oneof(...one)] : []), ...optional)
    .map(pairs => urlOf(path, Object.fromEntries(withoutRefused(pairs.filter(pair => pair !== undefined)))));
}

const withoutRefused = (pairs: readonly Pair[]): Pair[] =>
  EITHER.reduce<Pair[]>(
    (kept, either) => {
      const [first, second] = kept.filter(([name]) => (either as readonly string[]).includes(name));
      return first && second ? kept.filter(pair => pair !== second) : kept;
    },
    [...pairs],
  );

/** Values of a parameter; of one that takes several, a list or the parameter repeated. */
function textsOf(parameter: Parameter, path: string, values: ChainValues): fc.Arbitrary<string | readonly string[]> {
  const { items, uniqueItems } = parameter.schema;
  if (items === undefined) return textOf(parameter, path, values);
  const lengths = { minLength: 1, maxLength: 5 };
  const one = textOf({ ...parameter, schema: items }, path, values);
  const several = items.enum
    ? fc.subarray(items.enum.map(String), { minLength: 1 })
    : uniqueItems
      ? fc.uniqueArray(one, lengths)
      : fc.array(one, lengths);
  return fc.tuple(several, fc.boolean()).map(([all, isRepeated]) => (isRepeated ? all : all.join(',')));
}

/** Values of a parameter by its name; of others by their kind. */
function textOf({ name, schema }: Parameter, path: string, { byName, byFormat, cursors }: ChainValues): Text {
  const known = knownValue(byName, path, name) ?? byFormat[schema.format ?? ''];
  if (known) return known;
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'boolean') return fc.constantFrom('true', 'false');
  if (schema.type === 'integer' || schema.type === 'number') return numbersOf(name, schema);
  const pattern = new RegExp(schema.pattern ?? '');
  const isFit = (text: string) => pattern.test(text);
  // The same ones each time: a case is repeated by its seed alone.
  const fitting = cursors.filter(
    cursor => name === 'cursor' && fc.sample(cursor, { numRuns: 20, seed: 1 }).some(isFit),
  );
  if (fitting.length === 0)
    throw new Error(`random chains have no value for ${name} of ${path}: add it to test/chains/requests/values.ts`);
  return fc.oneof(...fitting).filter(isFit);
}

/** Small numbers; of the lengths of pages any. Lengths of zero mean the default, or nothing: test/requests.test.ts sends them. */
function numbersOf(name: string, { minimum = 0, maximum = Number.POSITIVE_INFINITY }: JsonSchema): Text {
  if (name === 'limit')
    return fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: Math.min(maximum, 1000) })).map(String);
  return fc.integer({ min: Math.max(minimum, -3), max: Math.min(maximum, 12) }).map(String);
}
