import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { TProperties } from 'typebox';
import { RetryableDatabaseError } from '../../../../base/store/errors.ts';
import { faucetsOf } from '../../../faucet/faucets.ts';
import { faucetUnavailable } from '../../../faucet/faults.ts';
import { ApiError } from '../../../http/errors.ts';
import { JSON_TYPE } from '../../../http/headers.ts';
import { spellPrincipal } from '../../../http/principals.ts';
import { amount, hash, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS } from '../../examples.ts';

/** Bytes of a body. */
const MOST_BODY = 10_000;

type Coin = 'btc' | 'stx' | 'sbtc';
const NAMES: Readonly<Record<Coin, string>> = { btc: 'BTC', stx: 'STX', sbtc: 'sBTC' };

/** A transaction that pays. */
interface Paid {
  /** With `0x`. */
  readonly txId: string;
  /** In the smallest unit. */
  readonly amount: string;
}

/** Pays an address. @throws ApiError */
type Pay = (address: string, request: FastifyRequest) => Promise<Paid>;

/** `/extended/v3/faucets` (docs/node-rpc.md#faucets) */
export function addFaucetRoutesV3(server: Api, { faucet: parts }: Pick<ApiContext, 'faucet'>): void {
  server.register(async (api: Api) => {
    api.removeAllContentTypeParsers();
    api.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: MOST_BODY },
      (_request, body, done) => {
        try {
          done(null, JSON.parse(String(body)));
        } catch {
          done(new ApiError(400, 'body must be JSON'));
        }
      },
    );
    const { stx, sbtc, btc } = parts ? faucetsOf(api, parts) : {};
    const amountOf = (coin: Coin) => String(parts?.settings[coin]?.amount);
    const ways: Readonly<Record<Coin, Pay | undefined>> = {
      btc:
        btc &&
        (async (recipient, { client }) => {
          const { txId } = await btc.give({ recipient, client }, 'usual').catch(error => {
            throw isClientError(error) ? badAddress('btc') : error;
          });
          return { txId: `0x${txId}`, amount: amountOf('btc') };
        }),
      stx:
        stx &&
        (async (address, { client }) => {
          const { txId } = await stx.give({ recipient: testnetPrincipal(address), client }, false);
          return { txId, amount: amountOf('stx') };
        }),
      sbtc:
        sbtc &&
        (async (address, { client }) => {
          const { txId } = await sbtc.give({ recipient: testnetPrincipal(address), client });
          return { txId, amount: amountOf('sbtc') };
        }),
    };
    for (const coin of ['btc', 'stx', 'sbtc'] as const) {
      const pay = ways[coin];
      if (pay) addFaucet(api, coin, pay);
      else addAbsent(api, coin, parts ? `${NAMES[coin]} faucet is not available` : 'Faucet is not available');
    }
  });
}

function addFaucet(api: Api, coin: Coin, pay: Pay): void {
  const chain = coin === 'btc' ? 'bitcoin' : 'stacks';
  const paid: TProperties = { [coin]: amount('In the smallest unit') };
  api.post(
    `/extended/v3/faucets/${coin}`,
    {
      errorHandler: refuseBriefly,
      schema: {
        operationId: `postFaucet${NAMES[coin].charAt(0).toUpperCase()}${NAMES[coin].slice(1).toLowerCase()}V3`,
        summary: `Get ${NAMES[coin]} of a test network`,
        description: 'Sends a fixed amount to the address of the body. How much and how often: `docs/node-rpc.md`.',
        tags: ['Addresses'],
        body: Type.Object(
          { address: Type.String({ minLength: 1, maxLength: 200, examples: [ADDRESS] }) },
          { title: 'FaucetRequest' },
        ),
        response: {
          200: Type.Object({
            transaction: Type.Object({ tx_id: hash(), chain: word([chain]) }),
            amount: Type.Object(paid),
          }),
          400: FaucetFailure,
          403: FaucetFailure,
          429: FaucetFailure,
          500: FaucetFailure,
          503: FaucetFailure,
        },
      },
    },
    async (request, reply) => {
      request.server.waitsElsewhere(request);
      const { txId: tx_id, amount } = await pay((request.body as { readonly address: string }).address, request);
      return reply.send(JSON.stringify({ transaction: { tx_id, chain }, amount: { [coin]: amount } }));
    },
  );
}

const addAbsent = (api: Api, coin: Coin, why: string) =>
  api.route({
    method: 'POST',
    url: `/extended/v3/faucets/${coin}`,
    errorHandler: refuseBriefly,
    handler: async (_request, reply) => refuse(reply, 403, why),
  });

const FaucetFailure = Type.Object(
  { error: Type.String({ description: 'What is wrong' }) },
  { title: 'FaucetFailure', description: 'The faucet gives nothing' },
);

/** The principal in the spelling of the index. @throws ApiError 400 for one of mainnet, or an invalid one */
function testnetPrincipal(address: string): string {
  const principal = spellPrincipal(address);
  if (!principal || !/^S[TN]/.test(principal)) throw badAddress('stx');
  return principal;
}

const badAddress = (coin: Coin): ApiError =>
  new ApiError(400, coin === 'btc' ? 'Invalid BTC regtest or signet address' : 'Invalid testnet Stacks address');

const isClientError = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 400;

const refuse = (reply: FastifyReply, status: number, error: string): FastifyReply =>
  reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify({ error }));

/** Sends every error as its text alone. If the node or the wallet refused, the status is that of a server error. */
function refuseBriefly(thrown: Partial<FastifyError>, request: FastifyRequest, reply: FastifyReply): void {
  const error = thrown instanceof RetryableDatabaseError ? faucetUnavailable() : thrown;
  const { statusCode = 500, message = '' } = error;
  const status = statusCode === 502 ? 500 : statusCode;
  if (error instanceof ApiError) {
    if (error.retryAfter !== undefined) reply.header('retry-after', error.retryAfter);
    refuse(reply, status, error.reason ?? message);
    return;
  }
  if (status >= 500) request.log.error({ err: thrown }, 'a faucet failed');
  refuse(reply, status, status >= 500 ? 'Faucet request failed, please try again later' : message);
}
