import type { Network } from '../../../ingest/chain/network.ts';
import type { NodeRpc } from '../../../ingest/node/rpc.ts';
import { notFound } from '../../http/errors.ts';
import { text } from '../../http/params.ts';
import { amount } from '../../http/schema.ts';
import type { Api } from '../../http/server.ts';
import { Type } from '../../http/type.ts';
import { nodeNotConfigured } from '../../node-proxy/faults.ts';
import { NamePrices } from '../../node-proxy/prices.ts';

const PriceSchema = Type.Object({ units: Type.Literal('STX'), amount: amount('In micro-STX') }, { title: 'NamePrice' });

/**
 * `/v2/prices`: prices of names of BNS version 1 (docs/node-rpc.md#prices). @param rpc undefined: this server has no
 * node
 */
export function addPriceRoutesV2(api: Api, rpc: NodeRpc | undefined, network: Network): void {
  const prices = rpc && new NamePrices(rpc, network);
  const known = (): NamePrices => {
    if (prices === undefined) throw nodeNotConfigured();
    return prices;
  };
  const body = (price: bigint): string => JSON.stringify({ units: 'STX', amount: String(price) });

  api.get(
    '/v2/prices/namespaces/:tld',
    {
      config: { cache: 'none' },
      schema: {
        operationId: 'getNamespacePriceV2',
        deprecated: true,
        summary: 'Get the price of a namespace',
        description: 'The price comes from the node.',
        tags: ['Names'],
        params: Type.Object({ tld: text('The namespace.', 'id') }),
        response: { 200: PriceSchema },
      },
    },
    async request => body(await known().ofNamespace(request.params.tld)),
  );
  api.get(
    '/v2/prices/names/:name',
    {
      config: { cache: 'none' },
      schema: {
        operationId: 'getNamePriceV2',
        deprecated: true,
        summary: 'Get the price of a name',
        description: 'The price comes from the node.',
        tags: ['Names'],
        params: Type.Object({ name: text('The name, with its namespace.', 'muneeb.id') }),
        response: { 200: PriceSchema },
      },
    },
    async request => body(await known().ofName(request.params.name)),
  );
  // Other paths below `/v2/prices` are not forwarded to the node.
  api.get('/v2/prices/*', async () => {
    throw notFound('No such price: ask for /v2/prices/names/NAME or /v2/prices/namespaces/NAMESPACE');
  });
}
