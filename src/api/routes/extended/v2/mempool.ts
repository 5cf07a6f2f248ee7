import type { Api } from '../../../http/server.ts';
import { feeReport, pendingFees } from '../../../records/mempool/fees.ts';
import { FeeReportSchemaV2 } from '../../../records/mempool/schema.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v2/mempool` (docs/spec/mempool.md) */
export function addMempoolRoutesV2(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/mempool/fees',
    {
      config: { cache: 'mempool', hot: true },
      schema: {
        operationId: 'getMempoolFeePrioritiesV2',
        summary: 'Get the fees of pending transactions',
        description: 'The 25th, 50th, 75th and 95th percentile of all, and of each kind that is pending.',
        tags: ['Mempool'],
        response: { 200: FeeReportSchemaV2 },
      },
    },
    () => db.read(async queries => JSON.stringify(feeReport(await pendingFees(queries)))),
  );
}
