import { Type } from 'typebox';
import { contractId, count, hash, nullable, pageWithoutTotal } from '../../http/schema.ts';
import { ContractLogSchema } from '../transactions/schema.ts';

/** A contract, or an attempt to deploy one (getContractById). */
export const ContractSchema = Type.Object(
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

/** getContractsByTrait. */
export const ContractsPage = pageWithoutTotal(ContractSchema, 'ContractsPage');

/** getContractEventsById. */
export const ContractLogsPage = pageWithoutTotal(ContractLogSchema, 'ContractLogsPage');
