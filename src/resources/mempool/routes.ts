import { Type } from 'typebox';
import { isValidPrincipal } from '../../codec/index.ts';
import { badRequest } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { flag, limit, offset, oneOf, principalStart } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { readState } from '../../indexer/index-state.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { withoutFunctionArgs } from '../transactions/record.ts';
import { feeReport, pendingFees } from './fees.ts';
import { pageOfPending } from './queries.ts';
import { FeeReportSchema, MempoolTransactionsPage } from './schema.ts';
import { mempoolVersion } from './version.ts';

/** Pending transactions: E19 and E5 (blocks-transactions-search.md 6 and 8). */
export function addMempoolRoutes(api: Api, { db, mempool }: ApiContext): void {
  const cache = async () => mempool.version();
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
    { config: { cache, response: MempoolTransactionsPage }, schema: { querystring: listQuery } },
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

  const report = lastReport();
  api.get('/extended/v2/mempool/fees', { config: { cache, response: FeeReportSchema } }, () => db.read(report));
}

function requirePrincipal(value: string | undefined): void {
  if (value === undefined || isValidPrincipal(value)) return;
  throw badRequest(`Error: Invalid query parameter: "${value}" is not a valid STX address or principal`);
}

/** Fees of the whole mempool are read once for each version of it. */
function lastReport(): (queries: Queries) => Promise<string> {
  let last: { readonly version: string | undefined; readonly body: string } | undefined;
  return async queries => {
    const version = mempoolVersion(await readState(queries));
    if (last === undefined || last.version !== version) {
      last = { version, body: JSON.stringify(feeReport(await pendingFees(queries))) };
    }
    return last.body;
  };
}
