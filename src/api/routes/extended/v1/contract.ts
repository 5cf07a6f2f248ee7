import { notFound } from '../../../http/errors.ts';
import { limit, offset, principalParam } from '../../../http/params.ts';
import { failure, pageWithoutTotal } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { findContract, logsOfContract } from '../../../records/contracts/queries.ts';
import { ContractSchemaV1 } from '../../../records/contracts/schema.ts';
import { ContractLogSchemaV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';
import { CONTRACT_ID } from '../../examples.ts';
import { addTraitRoutesV1 } from './contract/by_trait.ts';

/** `/extended/v1/contract` (docs/spec/contracts.md). */
export function addContractRoutesV1(api: Api, context: ApiContext): void {
  const { db } = context;
  addTraitRoutesV1(api, context);
  const params = Type.Object({ contract_id: principalParam('Contract: `<address>.<name>`.', CONTRACT_ID) });

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
        querystring: PAST_QUERY,
        response: { 200: ContractSchemaV1, 404: failure('No such contract was deployed') },
      },
    },
    async request => {
      const record = await readAsOf(db, request, queries => findContract(queries, request.params.contract_id));
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
        querystring: Type.Object({ limit: limit(50, 20), offset: offset(), at: at() }),
        response: { 200: pageWithoutTotal(ContractLogSchemaV1, 'ContractLogsPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { contract_id } = request.params;
      const records = await readAsOf(db, request, queries => logsOfContract(queries, contract_id, { limit, offset }));
      return page({ limit, offset }, records);
    },
  );
}
