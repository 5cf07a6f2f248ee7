import { contractId, count, hash, nullable } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

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
