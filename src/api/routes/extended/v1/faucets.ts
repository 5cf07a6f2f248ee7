import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { BtcFaucet } from '../../../faucet/btc-faucet.ts';
import { faucetsOf } from '../../../faucet/faucets.ts';
import type { SbtcFaucet, StxFaucet } from '../../../faucet/token-faucets.ts';
import type { SignedTransaction } from '../../../faucet/transaction.ts';
import { badRequest, handleError } from '../../../http/errors.ts';
import { JSON_TYPE } from '../../../http/headers.ts';
import { flag, principalParam } from '../../../http/params.ts';
import { hash } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import type { FaucetParts } from '../../context.ts';
import { ADDRESS } from '../../examples.ts';

/** Bytes of a body. */
const MOST_BODY = 10_000;
/** Of a Bitcoin testnet. */
const BITCOIN_ADDRESS = '2N4M94S1ZPt8HfxydXzL2P7qyzgVq7MHWts';

/** `/extended/v1/faucets` (docs/node-rpc.md#faucets). @param parts undefined: this server gives nothing away */
export function addFaucetRoutesV1(server: Api, parts: FaucetParts | undefined): void {
  server.register(async (api: Api) => {
    // Some clients declare JSON but send an empty body.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MOST_BODY }, (_request, body, done) =>
      done(null, body),
    );
    const { stx, sbtc, btc } = parts ? faucetsOf(api, parts) : {};
    const absent = (path: string, method: 'GET' | 'POST', why: string) =>
      api.route({
        method,
        url: `/extended/v1/faucets/${path}`,
        handler: async (_request, reply) => refuse(reply, 403, parts ? why : 'Faucet is not enabled'),
      });

    if (stx) addStxFaucet(api, stx);
    else absent('stx', 'POST', 'STX faucet is not available');
    if (sbtc) addSbtcFaucet(api, sbtc);
    else absent('sbtc', 'POST', 'sBTC faucet is not available');
    if (btc) addBtcFaucet(api, btc);
    else {
      absent('btc', 'POST', 'BTC Faucet is not configured.');
      absent('btc/:address', 'GET', 'BTC Faucet is not configured.');
    }
  });
}

function addStxFaucet(api: Api, faucet: StxFaucet): void {
  api.post(
    '/extended/v1/faucets/stx',
    {
      errorHandler: refuseAsKnown,
      config: { successor: '/extended/v3/faucets/stx' },
      schema: {
        operationId: 'runFaucetStx',
        deprecated: true,
        summary: 'Get STX of a test network',
        description: 'Sends a transfer to the address. How much and how often: `docs/node-rpc.md`.',
        tags: ['Addresses'],
        querystring: Type.Object({
          address: principalParam('Who gets it.', ADDRESS),
          stacking: flag('Whether it is to be enough for stacking.'),
        }),
        response: { 200: Gift, 400: FaucetError, 429: FaucetError },
      },
    },
    async (request, reply) => {
      const { address, stacking } = request.query;
      request.server.waitsElsewhere(request);
      return sendGift(reply, await faucet.give({ recipient: address, client: request.client }, stacking));
    },
  );
}

function addSbtcFaucet(api: Api, faucet: SbtcFaucet): void {
  api.post(
    '/extended/v1/faucets/sbtc',
    {
      errorHandler: refuseAsKnown,
      config: { successor: '/extended/v3/faucets/sbtc' },
      schema: {
        operationId: 'runFaucetSbtc',
        deprecated: true,
        summary: 'Get sBTC of a test network',
        description: 'Sends a transfer of the token to the address. How much and how often: `docs/node-rpc.md`.',
        tags: ['Addresses'],
        querystring: Type.Object({ address: principalParam('Who gets it.', ADDRESS) }),
        response: { 200: Gift, 400: FaucetError, 429: FaucetError },
      },
    },
    async (request, reply) => {
      request.server.waitsElsewhere(request);
      return sendGift(reply, await faucet.give({ recipient: request.query.address, client: request.client }));
    },
  );
}

function addBtcFaucet(api: Api, faucet: BtcFaucet): void {
  api.post(
    '/extended/v1/faucets/btc',
    {
      errorHandler: refuseAsKnown,
      config: { successor: '/extended/v3/faucets/btc' },
      schema: {
        operationId: 'runFaucetBtc',
        deprecated: true,
        summary: 'Get BTC of a test network',
        description:
          'Sends coins to the address, which may also be in the body. How much and how often: `docs/node-rpc.md`.',
        tags: ['Addresses'],
        querystring: Type.Object({
          address: Type.Optional(bitcoinAddress('Who gets it.')),
          large: flag('Whether it is to be more.'),
          xlarge: flag('Whether it is to be much more.'),
        }),
        response: { 200: BtcGift, 400: FaucetError, 403: FaucetError, 429: FaucetError },
      },
    },
    async (request, reply) => {
      const { large, xlarge } = request.query;
      const address = request.query.address || addressIn(request.body);
      if (!address) throw badRequest('address required');
      if (large && xlarge) throw badRequest('cannot simultaneously request a large and xlarge amount');
      request.server.waitsElsewhere(request);
      const { txId, raw } = await faucet.give(
        { recipient: address, client: request.client },
        xlarge ? 'xlarge' : large ? 'large' : 'usual',
      );
      return reply.send(JSON.stringify({ success: true, txid: txId, raw_tx: raw }));
    },
  );
  api.get(
    '/extended/v1/faucets/btc/:address',
    {
      config: { cache: 'none' },
      errorHandler: refuseAsKnown,
      schema: {
        operationId: 'getFaucetBtcBalance',
        deprecated: true,
        summary: 'Get the BTC of an address on a test network',
        description: 'The unspent outputs on the chain, by a scan of the Bitcoin node.',
        tags: ['Addresses'],
        params: Type.Object({ address: bitcoinAddress('Whose coins.') }),
        response: { 200: BtcBalance, 400: FaucetError, 403: FaucetError },
      },
    },
    async (request, reply) => {
      request.server.waitsElsewhere(request);
      return reply.send(JSON.stringify({ balance: await faucet.balanceOf(request.params.address, request.client) }));
    },
  );
}

const bitcoinAddress = (description: string) =>
  Type.String({ description, maxLength: 90, examples: [BITCOIN_ADDRESS] });

const RAW = Type.String({
  pattern: '^([0-9a-f]{2})*$',
  examples: ['00'],
  description: 'Its bytes in hex without `0x`',
});

const Gift = Type.Object(
  {
    success: Type.Literal(true),
    txId: hash('The transfer, as the node took it into its mempool'),
    txRaw: RAW,
  },
  { title: 'FaucetTransfer' },
);

const BtcGift = Type.Object(
  {
    success: Type.Literal(true),
    txid: Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['00'.repeat(32)], description: 'Id of the transaction' }),
    raw_tx: RAW,
  },
  { title: 'FaucetBtcTransfer' },
);

const BtcBalance = Type.Object(
  { balance: Type.Number({ description: 'BTC', examples: [0.0001] }) },
  { title: 'FaucetBtcBalance' },
);

const FaucetError = Type.Object(
  { error: Type.String({ description: 'What is wrong' }), success: Type.Literal(false) },
  { title: 'FaucetError', description: 'The faucet gives nothing' },
);

const sendGift = (reply: FastifyReply, { txId, raw }: SignedTransaction): FastifyReply =>
  reply.send(JSON.stringify({ success: true, txId, txRaw: Buffer.from(raw).toString('hex') }));

/** The errors of faucets as clients know them. */
const refuse = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply
    .code(status)
    .header('content-type', JSON_TYPE)
    .send(JSON.stringify({ error, success: false }));

/** Responds in this form to errors that the client can correct. */
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

/** The member `address` of a body of JSON, or of a form. */
function addressIn(body: unknown): string | undefined {
  if (typeof body !== 'string') return undefined;
  try {
    const { address } = Object(JSON.parse(body)) as { readonly address?: unknown };
    return typeof address === 'string' ? address : undefined;
  } catch {
    return new URLSearchParams(body).get('address') ?? undefined;
  }
}
