import { Type } from 'typebox';
import { badRequest, notFound } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { limit, offset, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { contractsByTrait } from './by-trait.ts';
import { findContract, logsOfContract } from './queries.ts';
import { ContractLogsPage, ContractSchema, ContractsPage } from './schema.ts';
import { readTrait } from './trait.ts';

/**
 * `/extended/v1/contract`: getContractsByTrait, getContractById, getContractEventsById (docs/spec/contracts.md). Ids are
 * compared as they are given.
 */
export function addContractRoutes(api: Api, { db }: ApiContext): void {
  const params = Type.Object({ contract_id: text() });

  api.get(
    '/extended/v1/contract/by_trait',
    {
      config: { cache: 'tip', response: ContractsPage },
      schema: { querystring: Type.Object({ trait_abi: text(), limit: limit(50, 20), offset: offset() }) },
    },
    async request => {
      const { trait_abi, limit, offset } = request.query;
      const trait = readTrait(trait_abi);
      if (!trait) throw badRequest(`Invalid 'trait_abi'`);
      const records = await db.read(queries => contractsByTrait(queries, trait, { limit, offset }));
      if (records.length === 0) throw notFound('cannot find contract for this trait');
      return page({ limit, offset }, records);
    },
  );

  api.get(
    '/extended/v1/contract/:contract_id',
    { config: { cache: 'tip', response: ContractSchema }, schema: { params } },
    async request => {
      const record = await db.read(queries => findContract(queries, request.params.contract_id));
      if (record === undefined) throw notFound('cannot find contract by ID');
      return record;
    },
  );

  api.get(
    '/extended/v1/contract/:contract_id/events',
    {
      config: { cache: 'tip', response: ContractLogsPage },
      schema: { params, querystring: Type.Object({ limit: limit(50, 20), offset: offset() }) },
    },
    async request => {
      const { limit, offset } = request.query;
      const records = await db.read(queries => logsOfContract(queries, request.params.contract_id, { limit, offset }));
      return page({ limit, offset }, records);
    },
  );
}
