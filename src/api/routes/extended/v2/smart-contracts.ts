import { contractPrincipal, contractPrincipals, limit, logCursor, offset } from '../../../http/params.ts';
import { contractId, count, failure, hash, nullable, pageOf, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readAsOf } from '../../../paging/as-of.ts';
import { contractLogs } from '../../../records/events/contract-logs.ts';
import { contractStatuses } from '../../../records/mempool/contract-status.ts';
import { ContractLogSchemaV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';
import { CONTRACT_ID } from '../../examples.ts';

/** Of a log of the example. */
const LOG_CURSOR = '150:2147483647:5:1';

/** `/extended/v2/smart-contracts` (docs/spec/contracts.md) */
export function addSmartContractRoutesV2(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/smart-contracts/status',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getSmartContractsStatusV2',
        summary: 'Get whether contracts are deployed',
        description:
          'Of the newest deployment of each, failed ones included, else of the pending one that comes first.',
        tags: ['Contracts'],
        querystring: Type.Object({ contract_id: contractPrincipals(CONTRACT_ID), at: at() }),
        response: { 200: Type.Object({}, { additionalProperties: StatusOfContract }) },
      },
    },
    async request => {
      const asked = [...new Set(request.query.contract_id)];
      const statuses = await readAsOf(db, request, queries => contractStatuses(queries, asked));
      const entries = asked.map(id => {
        const result = statuses.get(id);
        return [id, result ? { found: true, result } : { found: false }];
      });
      return JSON.stringify(Object.fromEntries(entries));
    },
  );

  api.get(
    '/extended/v2/smart-contracts/:contract_id/logs',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSmartContractLogsV2',
        summary: 'List the logs of a contract by cursor',
        description:
          'Newest first. `prev_cursor` leads towards genesis, `next_cursor` towards the tip; with a cursor, `offset` counts from its log.',
        tags: ['Contracts'],
        params: Type.Object({ contract_id: contractPrincipal(CONTRACT_ID) }),
        querystring: Type.Object({
          at: at(),
          limit: limit(100, 20),
          offset: offset(0, 1000),
          cursor: Type.Optional(logCursor(LOG_CURSOR)),
        }),
        response: {
          200: pageOf(ContractLogSchemaV1, 'SmartContractLogsPage', {
            next_cursor: nullable(Type.String(), 'Of the page nearer the tip; null on the one at the tip'),
            prev_cursor: nullable(Type.String(), 'Of the page nearer genesis'),
            cursor: nullable(Type.String(), 'Of this page: its first log'),
          }),
          404: failure('The contract printed nothing up to this cursor'),
        },
      },
    },
    request => readAsOf(db, request, queries => contractLogs(queries, request.params.contract_id, request.query)),
  );
}

const status = {
  tx_id: hash('Of the deployment'),
  contract_id: contractId(),
};

const StatusOfContract = Type.Union(
  [
    Type.Object(
      {
        found: Type.Literal(true),
        result: Type.Union([
          Type.Object(
            {
              status: word(['success', 'abort_by_response', 'abort_by_post_condition', 'problematic_skipped']),
              ...status,
              block_height: count(),
            },
            { title: 'MinedDeployment' },
          ),
          Type.Object({ status: Type.Literal('pending'), ...status }, { title: 'PendingDeployment' }),
        ]),
      },
      { title: 'DeployedContract' },
    ),
    Type.Object({ found: Type.Literal(false) }, { title: 'UnknownContract', description: 'No deployment is known' }),
  ],
  { title: 'ContractStatus' },
);
