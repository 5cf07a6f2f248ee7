import { Type } from 'typebox';
import { isValidPrincipal } from '../../codec/index.ts';
import { badRequest } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { flag, limit, offset, oneOf, principalStart } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { withoutFunctionArgs } from '../transactions/record.ts';
import { feeReport, pendingFees } from './fees.ts';
import { pageOfPending } from './queries.ts';
import { FeeReportSchema, MempoolTransactionsPage } from './schema.ts';

/** Pending transactions: getMempoolTransactionList and getMempoolFeePriorities (docs/spec/mempool.md). */
export function addMempoolRoutes(api: Api, { db, mempool }: ApiContext): void {
  const cache = () => mempool.version();
  const listQuery = Type.Object({
    sender_address: Type.Optional(principalStart()),
    recipient_address: Type.Optional(principalStart()),
    address: Type.Optional(principalStart()),
    order_by: oneOf(['age', 'size', 'fee'], 'age'),
    order: oneOf(['asc', 'desc'], 'desc'),
    unanchored: flag(),
    offset: offset(),
    limit: limit(50, 20),
    exclude_function_args: flag(),
  });

  api.get(
    '/extended/v1/tx/mempool',
    { config: { cache, hot: true, response: MempoolTransactionsPage }, schema: { querystring: listQuery } },
    async request => {
      const { query } = request;
      const { sender_address, recipient_address, address } = query;
      for (const value of [sender_address, recipient_address, address]) requirePrincipal(value);
      if (address !== undefined && (sender_address ?? recipient_address) !== undefined) {
        throw badRequest('The "address" filter cannot be specified with other address filters');
      }
      const { total, records } = await db.read(queries => pageOfPending(queries, query));
      const shown = query.exclude_function_args ? records.map(withoutFunctionArgs) : records;
      return page({ limit: query.limit, offset: query.offset, total }, shown);
    },
  );

  api.get('/extended/v2/mempool/fees', { config: { cache, hot: true, response: FeeReportSchema } }, () =>
    db.read(async queries => JSON.stringify(feeReport(await pendingFees(queries)))),
  );
}

function requirePrincipal(value: string | undefined): void {
  if (value === undefined || isValidPrincipal(value)) return;
  throw badRequest(`Error: Invalid query parameter: "${value}" is not a valid STX address or principal`);
}
