import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type FaucetParts, StxFaucet } from '../../../faucet/stx-faucet.ts';
import { handleError } from '../../../http/errors.ts';
import { JSON_TYPE } from '../../../http/headers.ts';
import { flag, principal } from '../../../http/params.ts';
import { hash } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { ADDRESS } from '../../examples.ts';

/** Bytes of a body; it is not read, parameters are in the query. */
const MOST_BODY = 10_000;

/** `/extended/v1/faucets` (docs/node-rpc.md#faucet). @param parts undefined: this server gives nothing away */
export function addFaucetRoutes(server: Api, parts: Omit<FaucetParts, 'log'> | undefined): void {
  server.register(async (api: Api) => {
    // Clients say JSON and send nothing.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MOST_BODY }, (_request, body, done) =>
      done(null, body),
    );
    if (parts) addStxFaucet(api, new StxFaucet({ ...parts, log: api.log }));
    const others = parts ? ['btc', 'sbtc'] : ['stx', 'btc', 'sbtc'];
    const why = parts ? 'BTC Faucet is not configured.' : 'Faucet is not enabled';
    for (const name of others)
      api.post(`/extended/v1/faucets/${name}`, async (_request, reply) => refuse(reply, 403, why));
    api.get('/extended/v1/faucets/btc/:address', async (_request, reply) => refuse(reply, 403, why));
  });
}

function addStxFaucet(api: Api, faucet: StxFaucet): void {
  api.addHook('onClose', () => faucet.close());
  api.post(
    '/extended/v1/faucets/stx',
    {
      errorHandler: refuseAsKnown,
      schema: {
        operationId: 'runFaucetStx',
        summary: 'Get STX of a test network',
        description: 'Sends a transfer to the address. How much and how often: `docs/node-rpc.md`.',
        tags: ['Addresses'],
        querystring: Type.Object({
          address: principal('Who gets it.', ADDRESS),
          stacking: flag('Whether it is to be enough for stacking.'),
        }),
        response: { 200: Gift, 400: FaucetError, 429: FaucetError },
      },
    },
    async (request, reply) => {
      const { address, stacking } = request.query;
      request.server.waitsElsewhere(request);
      const { txId, raw } = await faucet.give(address, stacking);
      return reply.send(JSON.stringify({ success: true, txId, txRaw: Buffer.from(raw).toString('hex') }));
    },
  );
}

const Gift = Type.Object(
  {
    success: Type.Literal(true),
    txId: hash('The transfer, as the node took it into its mempool'),
    txRaw: Type.String({ pattern: '^([0-9a-f]{2})+$', examples: ['00'], description: 'Its bytes in hex without `0x`' }),
  },
  { title: 'FaucetTransfer' },
);

const FaucetError = Type.Object(
  { error: Type.String({ description: 'What is wrong' }), success: Type.Literal(false) },
  { title: 'FaucetError', description: 'The faucet gives nothing' },
);

/** The errors of faucets as clients know them. */
const refuse = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply
    .code(status)
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify({ error, success: false }));

/** What the client can do something about is told in this form. */
function refuseAsKnown(error: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode = 500, message = '' } = error;
  const isMissing = [undefined, ''].includes((request.query as { readonly address?: string }).address);
  if (statusCode >= 500) handleError(error, request, reply);
  else refuse(reply, statusCode, error.validation && isMissing ? missing(request.body) : message);
}

const missing = (body: unknown): string =>
  typeof body === 'string' && body.includes('address')
    ? 'POST body is no longer supported, parameters must be passed as query parameters'
    : 'address required';
