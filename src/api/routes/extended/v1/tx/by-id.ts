import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '../../../../../base/store/database.ts';
import { flag, limit, MAX_INTEGER, offset } from '../../../../http/params.ts';
import { Type } from '../../../../http/type.ts';
import { at, readAsOf } from '../../../../paging/as-of.ts';
import { transactionsById } from '../../../../records/mempool/queries.ts';
import { withoutFunctionArgsV1 } from '../../../../records/transactions/record-v1.ts';

/** Parameters for the form of transactions that are requested by their ids. */
export const SHOWN = Type.Object({
  event_limit: limit(100, 20, 'default', 'Events of a transaction.'),
  event_offset: offset(0, MAX_INTEGER, 'Events to skip.'),
  unanchored: flag('Whether a transaction that only a microblock on the tip has counts as confirmed.'),
  exclude_function_args: flag('Whether to leave out the arguments of contract calls.'),
  at: at(),
});
export type Shown = Static<typeof SHOWN>;

/** These transactions as JSON texts, by id (0x, lower case); unknown ids are left out. @param request with these parameters */
export async function shownTransactions(
  db: Database,
  request: FastifyRequest<{ Querystring: Shown }>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { event_limit, event_offset, unanchored, exclude_function_args } = request.query;
  const events = { limit: event_limit, offset: event_offset };
  const found = await readAsOf(db, request, queries => transactionsById(queries, ids, { unanchored, events }));
  if (!exclude_function_args) return found;
  return new Map([...found].map(([id, record]) => [id, withoutFunctionArgsV1(record)]));
}
