import { count } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';

/**
 * Fixed fee rate for legacy clients, in micro-STX for a byte; the node estimates fees (`POST /v2/fees/transaction`).
 */
const FEE_RATE = 400;

const FeeRateRequest = Type.Object(
  {
    transaction: Type.Union(
      [Type.String({ description: 'text', examples: ['0x00000000010400'] }), Type.Number({ description: 'a number' })],
      { description: 'A transaction. It is not read.' },
    ),
  },
  { title: 'FeeRateRequest', additionalProperties: true },
);

const FeeRate = Type.Object(
  { fee_rate: count('Micro-STX for a byte of a transaction') },
  { title: 'FeeRate', examples: [{ fee_rate: FEE_RATE }] },
);

/** `/extended/v1/fee_rate`: a constant, whatever the transaction. */
export function addFeeRateRouteV1(api: Api): void {
  api.post(
    '/extended/v1/fee_rate',
    {
      schema: {
        operationId: 'fetchFeeRateV1',
        summary: 'Get the fee rate for a transaction',
        description: 'A constant. `POST /v2/fees/transaction` estimates.',
        tags: ['Transactions'],
        deprecated: true,
        body: FeeRateRequest,
        response: { 200: FeeRate },
      },
    },
    async () => JSON.stringify({ fee_rate: FEE_RATE }),
  );
}
