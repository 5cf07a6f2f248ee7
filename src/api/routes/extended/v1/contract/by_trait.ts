import type { FastifyRequest } from 'fastify';
import { badRequest, notFound } from '../../../../http/errors.ts';
import { limit, offset, text } from '../../../../http/params.ts';
import { failure, pageWithoutTotal } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, type PastQuery, readLongAsOf } from '../../../../paging/as-of.ts';
import { page } from '../../../../paging/page.ts';
import { contractsByTrait, functionsOfTrait, parseTrait } from '../../../../records/contracts/by-trait.ts';
import { ContractSchemaV1 } from '../../../../records/contracts/schema.ts';
import type { ApiContext } from '../../../context.ts';

/** Bytes of a body: 64 Ki characters, each of three bytes, fit. */
const MOST_BODY = 256 * 1024;

const HINT = 'Send the interface of the trait as JSON of up to 64 Ki characters: an object with a list functions.';

/** `/extended/v1/contract/by_trait` (docs/spec/contracts.md#contracts-by-trait). */
export function addTraitRoutesV1(server: Api, { longReads }: Pick<ApiContext, 'longReads'>): void {
  /** The page of the contracts that have a trait. @throws ApiError 400, 404 or 503 */
  const pageOf = async (
    request: FastifyRequest<{ Querystring: PastQuery }>,
    trait: unknown,
    query: Parameters<typeof contractsByTrait>[2],
  ): Promise<string> => {
    const functions = functionsOfTrait(trait);
    if (!functions) throw query.place === 'body' ? noTraitInBody() : badRequest(`Invalid 'trait_abi'`, HINT);
    const records = await readLongAsOf(longReads, request, (queries, budget) =>
      contractsByTrait(queries, functions, query, budget),
    );
    if (!records) throw notFound('cannot find contract for this trait');
    const { limit, offset } = query;
    return page({ limit, offset }, records);
  };

  server.get(
    PATH,
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getContractsByTraitV1',
        summary: 'List the contracts that have a trait',
        description: `${RULE} A URL may have 8 KiB: a longer trait is the body of a POST.`,
        tags: ['Contracts'],
        querystring: Type.Object({
          trait_abi: text('Interface of the trait as JSON.', JSON.stringify(FT_TRAIT)),
          limit: limit(50, 20),
          offset: offset(),
          at: at(),
        }),
        response,
      },
    },
    request =>
      pageOf(request, parseTrait(request.query.trait_abi), { ...request.query, place: 'querystring/trait_abi' }),
  );

  server.register(async (api: Api) => {
    api.removeAllContentTypeParsers();
    const read = { parseAs: 'string', bodyLimit: MOST_BODY } as const;
    api.addContentTypeParser('application/json', read, (_request, body, done) => {
      const trait = parseTrait(String(body));
      if (trait === undefined) done(noTraitInBody());
      else done(null, trait);
    });
    api.post(
      PATH,
      {
        schema: {
          operationId: 'findContractsByTraitV1',
          summary: 'List the contracts that have the trait of the body',
          description: `${RULE} For traits that are too long for a URL; the hosted API does not have it.`,
          tags: ['Contracts'],
          querystring: Type.Object({ limit: limit(50, 20), offset: offset(), at: at() }),
          body: Trait,
          response,
        },
      },
      request => pageOf(request, request.body, { ...request.query, place: 'body' }),
    );
  });
}

const PATH = '/extended/v1/contract/by_trait';

const RULE =
  'Newest first. A contract matches when it has every function of the trait, by the rule with which the chain checks `impl-trait`.';

const noTraitInBody = () => badRequest('body must be the interface of a trait', HINT);

/** The transfer of SIP-010. */
const FT_TRAIT = {
  functions: [
    {
      name: 'transfer',
      access: 'public',
      args: [
        { name: 'amount', type: 'uint128' },
        { name: 'sender', type: 'principal' },
        { name: 'recipient', type: 'principal' },
        { name: 'memo', type: { optional: { buffer: { length: 34 } } } },
      ],
      outputs: { type: { response: { ok: 'bool', error: 'uint128' } } },
    },
  ],
};

/** Its functions are read by `functionsOfTrait`. */
const Trait = Type.Object(
  {
    functions: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'As in the interface of a contract',
      examples: [FT_TRAIT.functions],
    }),
  },
  { title: 'Trait', additionalProperties: true },
);

const response = {
  200: pageWithoutTotal(ContractSchemaV1, 'ContractsPage'),
  404: failure('No contract has the trait'),
};
