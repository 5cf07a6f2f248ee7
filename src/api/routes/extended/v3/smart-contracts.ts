import { toHex } from '../../../../base/lib/hex.ts';
import { notFound } from '../../../http/errors.ts';
import { listOf, principalParam } from '../../../http/params.ts';
import { contractId, count, failure, nullable, unixTime, whole } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { DIGITS } from '../../../http/validation.ts';
import { at, readAsOf } from '../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, pageFrom } from '../../../paging/cursor-page.ts';
import { findDeployed, twinsOf } from '../../../records/contracts/queries.ts';
import { BUCKET_NAMES, type Bucket, contractActivity } from '../../../records/transactions/list/contract-activity.ts';
import { transactionOfId, transactionsOfIds } from '../../../records/transactions/positions-v3.ts';
import { TransactionPositionSchemaV3 } from '../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../context.ts';
import { CONTRACT_ID } from '../../examples.ts';
import { cursorQuery, readList } from './list.ts';

export const SmartContractSchemaV3 = Type.Object(
  {
    contract_id: contractId(),
    clarity_version: nullable(Type.Integer({ minimum: 1 }), 'Null where the deployment did not name one'),
    ...TransactionPositionSchemaV3.properties,
    source_code: Type.Optional(Type.String()),
    abi: Type.Optional(Type.String({ description: 'The interface as JSON text' })),
  },
  { title: 'SmartContract' },
);

export const TwinSchemaV3 = Type.Object(
  { contract_id: contractId(), transaction: TransactionPositionSchemaV3 },
  { title: 'SmartContractTwin' },
);

const twinsQuery = () =>
  Type.Object({
    ...cursorQuery(
      { maximum: 50, default: 20 },
      { ...DIGITS, description: '`<number in the order of deployment>`, from 0', example: '0' },
    ),
    at: at(),
  });

/** `/extended/v3/smart-contracts` (docs/spec/contracts.md#version-3) */
export function addSmartContractRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/smart-contracts/:contract_id',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSmartContractV3',
        summary: 'Get a contract',
        description: 'With the transaction that deployed it.',
        tags: ['Contracts'],
        params: Type.Object({ contract_id: principalParam('Contract: `<address>.<name>`.', CONTRACT_ID) }),
        querystring: Type.Object({
          include: Type.Optional(
            listOf('What to show besides, each once.', ['source_code', 'abi'], { uniqueItems: true }),
          ),
          at: at(),
        }),
        response: { 200: SmartContractSchemaV3, 404: failure('No canonical transaction deployed such a contract') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { query } = request;
        const { contract_id } = request.params;
        const contract = await findDeployed(queries, contract_id);
        if (!contract) throw notFound('Smart contract not found');
        const { tx_id, clarity_version, source_code, abi } = contract;
        return JSON.stringify({
          contract_id,
          clarity_version,
          ...(await transactionOfId(queries, tx_id)),
          ...(query.include?.includes('source_code') && { source_code }),
          ...(query.include?.includes('abi') && { abi }),
        });
      }),
  );

  api.get(
    '/extended/v3/smart-contracts/:contract_id/twins',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getSmartContractTwinsV3',
        summary: 'List the contracts with the same source',
        description: 'Itself included, the one that was deployed first first.',
        tags: ['Contracts'],
        params: Type.Object({ contract_id: principalParam('Contract: `<address>.<name>`.', CONTRACT_ID) }),
        querystring: twinsQuery(),
        response: {
          200: cursorPageOf(TwinSchemaV3, 'SmartContractTwinsPage'),
          404: failure('No canonical transaction deployed such a contract'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const twins = await twinsOf(queries, params.contract_id);
        if (!twins) throw notFound('Contract not found');
        const page = await pageFrom(twins, Number(query.cursor ?? 0), query.limit);
        const positionsById = await transactionsOfIds(
          queries,
          page.rows.map(({ tx_id }) => tx_id),
        );
        return cursorPage(page, ({ contract_id, tx_id }) => ({
          contract_id,
          transaction: positionsById.get(toHex(tx_id)),
        }));
      }),
  );

  api.get(
    '/extended/v3/smart-contracts/:contract_id/activity',
    {
      config: { cache: 'tip', hot: true, internal: true },
      schema: {
        operationId: 'getSmartContractActivityV3',
        summary: 'Get the recent calls of a contract by function and time',
        description:
          'Of its newest calls how many there were, failed, and by how many callers: over time and by function.',
        tags: ['Contracts'],
        params: Type.Object({ contract_id: principalParam('Contract: `<address>.<name>`.', CONTRACT_ID) }),
        querystring: Type.Object({
          bucket: Type.Unsafe<Bucket>({
            type: 'string',
            enum: [...BUCKET_NAMES],
            default: 'day',
            description:
              'How long the times are that are counted together. Days and weeks are those of UTC, weeks begin on Mondays.',
          }),
          limit: Type.Integer({
            minimum: 1,
            maximum: 1000,
            default: 1000,
            description: 'Calls that count, the newest.',
          }),
          at: at(),
        }),
        response: { 200: ContractActivitySchemaV3 },
      },
    },
    request =>
      readAsOf(db, request, async queries =>
        JSON.stringify(await contractActivity(queries, request.params.contract_id, request.query)),
      ),
  );
}

const counts = { calls: count(), failures: count('Of these, without success'), callers: count('Different senders') };
const end = (description: string) =>
  nullable(Type.Object({ block_height: count(), time: unixTime('Of the block') }), description);

export const ContractActivitySchemaV3 = Type.Object(
  {
    total: count('Calls that there are'),
    limit: count('Calls that count at most: where there are more, the newest do. Large ones may leave room for fewer'),
    from: end('The oldest call that counts; null without calls'),
    to: end('The newest'),
    buckets: Type.Array(
      Type.Object({ start: whole('When it begins, Unix seconds'), ...counts }, { title: 'ActivityBucket' }),
      { description: 'The newest first, those with calls alone' },
    ),
    functions: Type.Array(Type.Object({ function_name: Type.String(), ...counts }, { title: 'FunctionActivity' }), {
      description: 'The one that was called most first',
    }),
  },
  { title: 'SmartContractActivity' },
);
