import { hexBytes } from '../../../../base/lib/hex.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { notFound } from '../../../http/errors.ts';
import {
  flag,
  hexText,
  integer,
  limit,
  listOf,
  offset,
  oneOf,
  principalParam,
  standardAddress,
} from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { type FoundBlock, findByBlockHashOrBoot, findByHeight } from '../../../records/blocks/queries.ts';
import { type EventsInList, withEventsInList } from '../../../records/transactions/detail.ts';
import { EVENTS_IN_LISTS } from '../../../records/transactions/events.ts';
import { searchTransactions } from '../../../records/transactions/list/search.ts';
import { transactionsFromEnd } from '../../../records/transactions/queries.ts';
import { withoutFunctionArgsV1 } from '../../../records/transactions/record-v1.ts';
import { TransactionsPageV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, BLOCK_HASH, CONTRACT_ID } from '../../examples.ts';

/** `/extended/v1/tx` (docs/spec/transactions.md, docs/spec/blocks.md) */
export function addTransactionRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v1/tx',
    {
      config: { cache: 'tip', hot: true },
      schema: {
        operationId: 'getTransactionListV1',
        deprecated: true,
        summary: 'List recent transactions',
        description: 'Filters add up. The filters of time look at the burn block.',
        tags: ['Transactions'],
        querystring: Type.Object({
          offset: offset(),
          at: at(),
          limit: limit(50, 20),
          type: Type.Optional(listOf('Only these kinds: `a,b`, or the parameter repeated.', TX_TYPES)),
          unanchored: flag('Whether to include what only a microblock on the tip has.'),
          order: oneOf('Direction.', ['asc', 'desc'], 'desc'),
          sort_by: oneOf('What the list is sorted by.', ['block_height', 'burn_block_time', 'fee'], 'block_height'),
          from_address: Type.Optional(standardAddress('Only those that this address sent.', ADDRESS)),
          to_address: Type.Optional(principalParam('Only transfers to this principal.', ADDRESS)),
          start_time: Type.Optional(
            integer('Only those of burn blocks at or after it, in Unix seconds.', {}, 1795000000),
          ),
          end_time: Type.Optional(
            integer('Only those of burn blocks at or before it, in Unix seconds.', {}, 1796000000),
          ),
          contract_id: Type.Optional(principalParam('Only calls and the deployment of this contract.', CONTRACT_ID)),
          function_name: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'Only calls of functions of this name.',
              examples: ['transfer'],
            }),
          ),
          nonce: Type.Optional(integer('Only those with this nonce of the sender.', { minimum: 0 }, 5)),
          exclude_function_args: flag(WITHOUT_ARGS),
          ...EVENTS_IN_LISTS,
        }),
        response: { 200: TransactionsPageV1 },
      },
    },
    async request => {
      const { query } = request;
      const { total, records } = await readLongAsOf(longReads, request, async (queries, budget) => {
        const { total, records } = await searchTransactions(queries, query, budget);
        return { total, records: await withEventsInList(queries, records, query) };
      });
      const shown = query.exclude_function_args ? records.map(withoutFunctionArgsV1) : records;
      return page({ limit: query.limit, offset: query.offset, total }, shown);
    },
  );

  api.get(
    '/extended/v1/tx/block/:block_hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionsByBlockHashV1',
        summary: 'List the transactions of a block by its hash',
        ...ofBlock,
        params: Type.Object({ block_hash: hexText('Block hash; `0x` may be left out.', BLOCK_HASH) }),
        querystring: Type.Object({
          limit: limit(200, 20),
          offset: offset(),
          at: at(),
          exclude_function_args: flag(WITHOUT_ARGS),
          ...EVENTS_IN_LISTS,
        }),
      },
    },
    request => {
      const {
        params: { block_hash },
        query,
      } = request;
      return readAsOf(db, request, async queries => {
        const block = await findByBlockHashOrBoot(queries, hexBytes(block_hash));
        if (!block) throw notFound('no block found by hash');
        return pageOfBlock(queries, block, query);
      });
    },
  );

  api.get(
    '/extended/v1/tx/block_height/:height',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionsByBlockHeightV1',
        summary: 'List the transactions of a block by its height',
        ...ofBlock,
        params: Type.Object({ height: integer('Height of the block.', { minimum: 0 }, 150) }),
        querystring: Type.Object({
          limit: limit(50, 20),
          offset: offset(),
          at: at(),
          exclude_function_args: flag(WITHOUT_ARGS),
          ...EVENTS_IN_LISTS,
        }),
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const {
          params: { height },
          query,
        } = request;
        const block = await findByHeight(queries, height);
        if (!block) throw notFound(`no block found at height ${height}`);
        return pageOfBlock(queries, block, query);
      }),
  );
}

const WITHOUT_ARGS = 'Whether to leave out the arguments of contract calls.';

/** Common parts of both lists of a block. */
const ofBlock = {
  deprecated: true,
  description: 'The last one first. For a block that is not canonical the list is empty.',
  tags: ['Blocks'],
  response: { 200: TransactionsPageV1, 404: failure('There is no such block') },
};

interface BlockQuery extends EventsInList {
  readonly limit: number;
  readonly offset: number;
  readonly exclude_function_args: boolean;
}

/** A page of the transactions of a block, the last one first (docs/spec/blocks.md#transactions-of-a-block). */
async function pageOfBlock(queries: Queries, block: FoundBlock, query: BlockQuery): Promise<string> {
  const { limit, offset, exclude_function_args } = query;
  const [first, total] = 'canonical' in block ? [block.canonical.firstTx, block.canonical.txRows] : [0, 0];
  const records = await withEventsInList(
    queries,
    await transactionsFromEnd(queries, first, total, { limit, offset }),
    query,
  );
  return page({ limit, offset, total }, exclude_function_args ? records.map(withoutFunctionArgsV1) : records);
}

/** In the order in which an error names them. */
const TX_TYPES = [
  'coinbase',
  'token_transfer',
  'smart_contract',
  'contract_call',
  'poison_microblock',
  'tenure_change',
] as const;
