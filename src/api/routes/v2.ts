import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TipSource } from '../../ingest/chain/tip.ts';
import type { Api } from '../http/server.ts';
import { nodeNotConfigured } from '../node-proxy/faults.ts';
import { NodeProxy, type NodeProxyParts } from '../node-proxy/forward.ts';
import type { NodeProxySettings } from '../node-proxy/settings.ts';

/** Methods that are forwarded; this server responds to OPTIONS itself. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The parts of the index that the routes of a node need. */
export interface NodeContext extends Pick<NodeProxyParts, 'onTaken' | 'tenures' | 'now'> {
  readonly tip: TipSource;
}

/**
 * `/v2/*` and `/v3/*`: the RPC of a node, forwarded to it (docs/node-rpc.md).
 * @param settings undefined: without a node, every request gets a 503 that gives this reason
 */
export function addNodeRoutes(server: Api, settings: NodeProxySettings | undefined, context: NodeContext): void {
  server.register(async api => {
    // Bodies of any type are forwarded unchanged.
    api.removeAllContentTypeParsers();
    api.addContentTypeParser(
      '*',
      { parseAs: 'buffer', ...(settings && { bodyLimit: settings.maxRequestBytes }) },
      (_request, body, done) => done(null, body),
    );
    const routes = settings === undefined ? REFUSING : forwarding(api as Api, settings, context);
    for (const url of ['/v2/*', '/v3/*']) api.route({ method: METHODS, url, ...routes });
  });
}

function forwarding(api: Api, settings: NodeProxySettings, { tip, ...context }: NodeContext) {
  const { clients } = api;
  const proxy = new NodeProxy({ settings, log: api.log, clients, tip: () => tip.current(), ...context });
  api.addHook('onClose', () => proxy.close());
  return {
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => proxy.check(request, reply),
    handler: (request: FastifyRequest, reply: FastifyReply) => proxy.forward(request, reply),
  };
}

async function refuse(): Promise<never> {
  throw nodeNotConfigured();
}

/** Refuses a request before its body is read. */
const REFUSING = { onRequest: refuse, handler: refuse };
