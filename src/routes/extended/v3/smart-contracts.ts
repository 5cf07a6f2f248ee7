import { Type } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { listOf, principal } from '../../../http/params.ts';
import { contractId, failure, nullable } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { transactionOfId } from '../../../resources/blocks/transaction-places.ts';
import { findDeployed } from '../../../resources/contracts/queries.ts';
import { TransactionPlace } from '../../../resources/transactions/v3/schema.ts';
import type { ApiContext } from '../../context.ts';
import { CONTRACT_ID } from '../../examples.ts';

const SmartContract = Type.Object(
  {
    contract_id: contractId(),
    clarity_version: nullable(Type.Integer({ minimum: 1 }), 'Null where the deployment did not name one'),
    transaction: TransactionPlace,
    source_code: Type.Optional(Type.String()),
    abi: Type.Optional(Type.String({ description: 'The interface as JSON text' })),
  },
  { title: 'SmartContract' },
);

/** `/extended/v3/smart-contracts` (docs/spec/contracts.md#version-3) */
export function addSmartContractV3Routes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/smart-contracts/:contract_id',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSmartContract',
        summary: 'Get a contract',
        description: 'With the transaction that deployed it.',
        tags: ['Contracts'],
        params: Type.Object({ contract_id: principal('Contract: `<address>.<name>`.', CONTRACT_ID) }),
        querystring: Type.Object({
          include: Type.Optional(
            listOf('What to show besides, each once.', ['source_code', 'abi'], { uniqueItems: true }),
          ),
        }),
        response: { 200: SmartContract, 404: failure('No canonical transaction deployed such a contract') },
      },
    },
    ({ params: { contract_id }, query }) =>
      db.read(async queries => {
        const contract = await findDeployed(queries, contract_id);
        if (!contract) throw notFound('Contract not found');
        const { tx_id, clarity_version, source_code, abi } = contract;
        return JSON.stringify({
          contract_id,
          clarity_version,
          transaction: await transactionOfId(queries, tx_id),
          ...(query.include?.includes('source_code') && { source_code }),
          ...(query.include?.includes('abi') && { abi }),
        });
      }),
  );
}
