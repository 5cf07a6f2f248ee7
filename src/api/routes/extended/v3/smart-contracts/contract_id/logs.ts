import { isTopic, LONGEST_TOPIC } from '../../../../../../index/transactions/log-fields.ts';
import { invalidParameter } from '../../../../../http/errors.ts';
import { contractPrincipal, principalParam } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { DIGITS } from '../../../../../http/validation.ts';
import { at, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../../paging/cursor-page.ts';
import {
  ContractLogSchemaV3,
  contractLogsV3,
  LogTopicSchemaV3,
  logTopicsV3,
  pageOfContractLogs,
  pageOfLogTopics,
} from '../../../../../records/events/contract-logs-v3.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, CONTRACT_ID } from '../../../../examples.ts';
import { cursorQuery, eventCursorQuery, readList, tellFork } from '../../list.ts';

/** Of a log of the example. */
const LOG_CURSOR = '150:2147483647:5:1';

const params = Type.Object({ contract_id: contractPrincipal(CONTRACT_ID) });

const logsQuery = () =>
  Type.Object({
    ...eventCursorQuery(LOG_CURSOR),
    topic: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_TOPIC,
        description: 'The text of the member `event`, `topic`, `action` or `notification` of what was printed.',
        examples: ['deposit'],
      }),
    ),
    principal: Type.Optional(principalParam('A principal that is a member of what was printed.', ADDRESS)),
    at: at(),
  });

const topicsQuery = () =>
  Type.Object({
    ...cursorQuery(
      { maximum: 50, default: 20 },
      { ...DIGITS, description: '`<number in the order of first prints>`, from 0', example: '0' },
    ),
    at: at(),
  });

/** `/extended/v3/smart-contracts/{contract_id}/logs` (docs/spec/contracts.md#topics-of-logs) */
export function addContractLogRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v3/smart-contracts/:contract_id/logs',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getSmartContractLogsV3',
        summary: 'List the logs of a contract, by topic and principal',
        description: 'What the contract printed, the newest first.',
        tags: ['Contracts'],
        params,
        querystring: logsQuery(),
        response: { 200: cursorPageOf(ContractLogSchemaV3, 'SmartContractLogsByTopicPage') },
      },
    },
    (request, reply) =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { topic } = request.query;
        if (topic !== undefined && !isTopic(topic))
          throw invalidParameter(
            `querystring/topic must be 1 to ${LONGEST_TOPIC} bytes of UTF-8 without control characters`,
          );
        await tellFork(queries, request.query, reply);
        const page = await pageOfContractLogs(
          queries,
          budget,
          request.params.contract_id,
          request.query,
          request.query,
        );
        return cursorPageOfRecords(page, await contractLogsV3(queries, page.rows));
      }),
  );

  api.get(
    '/extended/v3/smart-contracts/:contract_id/logs/topics',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getSmartContractLogTopicsV3',
        summary: 'List the topics of the logs of a contract',
        description: 'In the order in which the contract first printed each, with the number of its logs.',
        tags: ['Contracts'],
        params,
        querystring: topicsQuery(),
        response: { 200: cursorPageOf(LogTopicSchemaV3, 'SmartContractLogTopicsPage') },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const { contract_id } = params;
        const page = await pageOfLogTopics(queries, contract_id, Number(query.cursor ?? 0), query.limit);
        const topics = page.rows.map(({ topic }) => topic);
        return cursorPageOfRecords(page, await logTopicsV3(queries, contract_id, topics));
      }),
  );
}
