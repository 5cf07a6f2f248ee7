import { badRequest, notFound } from '../../../http/errors.ts';
import { limit, offset, principalParam, text } from '../../../http/params.ts';
import { contractId, count, failure, hash, nullable, pageWithoutTotal } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { page } from '../../../paging/page.ts';
import { contractsByTrait, readTrait } from '../../../records/contracts/by-trait.ts';
import { findContract, logsOfContract } from '../../../records/contracts/queries.ts';
import { ContractLogSchemaV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';
import { CONTRACT_ID } from '../../examples.ts';

/** `/extended/v1/contract` (docs/spec/contracts.md). */
export function addContractRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  const params = Type.Object({ contract_id: principalParam('Contract: `<address>.<name>`.', CONTRACT_ID) });

  api.get(
    '/extended/v1/contract/by_trait',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getContractsByTraitV1',
        summary: 'List the contracts that have a trait',
        description:
          'Newest first. A contract matches when it has every function of the trait, by the rule with which the chain checks `impl-trait`.',
        tags: ['Contracts'],
        querystring: Type.Object({
          trait_abi: text('Interface of the trait as JSON.', JSON.stringify(FT_TRAIT)),
          limit: limit(50, 20),
          offset: offset(),
        }),
        response: {
          200: pageWithoutTotal(ContractSchemaV1, 'ContractsPage'),
          404: failure('No contract has the trait'),
        },
      },
    },
    async request => {
      const { trait_abi, limit, offset } = request.query;
      const trait = readTrait(trait_abi);
      if (!trait) {
        throw badRequest(
          `Invalid 'trait_abi'`,
          'Send the interface of the trait as JSON: an object with a list functions.',
        );
      }
      const records = await longReads.read(request, (queries, budget) =>
        contractsByTrait(queries, trait, { limit, offset }, budget),
      );
      if (!records) throw notFound('cannot find contract for this trait');
      return page({ limit, offset }, records);
    },
  );

  api.get(
    '/extended/v1/contract/:contract_id',
    {
      config: { successor: '/extended/v3/smart-contracts/{contract_id}', cache: 'tip' },
      schema: {
        operationId: 'getContractByIdV1',
        deprecated: true,
        summary: 'Get a contract',
        tags: ['Contracts'],
        params,
        response: { 200: ContractSchemaV1, 404: failure('No such contract was deployed') },
      },
    },
    async request => {
      const record = await db.read(queries => findContract(queries, request.params.contract_id));
      if (record === undefined) throw notFound('cannot find contract by ID');
      return record;
    },
  );

  api.get(
    '/extended/v1/contract/:contract_id/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getContractEventsByIdV1',
        deprecated: true,
        summary: 'List the logs of a contract',
        description: 'Newest first.',
        tags: ['Contracts'],
        params,
        querystring: Type.Object({ limit: limit(50, 20), offset: offset() }),
        response: { 200: pageWithoutTotal(ContractLogSchemaV1, 'ContractLogsPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { contract_id } = request.params;
      const records = await db.read(queries => logsOfContract(queries, contract_id, { limit, offset }));
      return page({ limit, offset }, records);
    },
  );
}

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

/** A contract, or an attempt to deploy one. */
export const ContractSchemaV1 = Type.Object(
  {
    tx_id: hash('The transaction that deployed it'),
    canonical: Type.Boolean({ description: 'False when only orphaned blocks have the deployment' }),
    contract_id: contractId(),
    block_height: count(),
    clarity_version: nullable(Type.Integer({ minimum: 1 }), 'Null where the deployment did not name one'),
    source_code: Type.String(),
    abi: nullable(Type.String(), 'The interface as JSON text; null when the deployment failed'),
  },
  { title: 'Contract' },
);
