import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';
import { tipHeaders as headersOf, type ResponseHeaders, TIP_HASH } from './headers.ts';
import { linkToNext } from './next-page.ts';

/** So often a response is made before it is sent as it is. Blocks that arrive faster than this do not hold a client up. */
const TRIES = 3;

/**
 * Wraps the handler of a route that shows the chain. A response that was made while the tip moved is made again: so all its reads show
 * one state, and its headers name that one (docs/spec/http.md#the-tip).
 * @param hasPast whether the route shows the chain as of any block: then pages link to the next one as of theirs
 * @param tipHeaders those of the state that is shown now
 */
export function inOneState(
  handler: RouteHandlerMethod,
  tip: TipSource,
  hasPast: boolean,
  tipHeaders: () => ResponseHeaders,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async function (this: unknown, request, reply) {
    for (let tries = 1; ; tries++) {
      const before = tip.current();
      const response = await Reflect.apply(handler, this, [request, reply]);
      if (reply.sent) return response; // it is a stream, or of another server
      if (!areSame(before, tip.current()) && tries < TRIES) continue;
      if (request.shownBlock) reply.headers(headersOf(request.shownBlock));
      else if (!hasHeaders(reply, tipHeaders())) reply.headers(tipHeaders());
      // A page with transactions of microblocks shows more than its block has.
      const shown = request.shownBlock ?? (before?.microblockHash === null ? before : undefined);
      const link =
        hasPast && shown && typeof response === 'string' && linkToNext(request, response, shown.indexBlockHash);
      if (link) reply.header('link', link);
      return response;
    }
  };
}

/** Whether a response has the headers of this tip, as nearly all have whose requests arrived under it. */
const hasHeaders = (reply: FastifyReply, ofTip: ResponseHeaders): boolean =>
  reply.getHeader(TIP_HASH) === ofTip[TIP_HASH];

const areSame = (one: Tip | undefined, other: Tip | undefined): boolean =>
  one === other ||
  (one?.indexBlockHash === other?.indexBlockHash &&
    one?.microblockHash === other?.microblockHash &&
    one?.burnTip === other?.burnTip &&
    one?.attachments === other?.attachments);
