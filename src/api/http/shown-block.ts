import type { FastifyRequest, preValidationHookHandler } from 'fastify';
import { invalidParameter } from './errors.ts';

/** The block as of which a response is, where that is not the tip (docs/past.md). */
export interface ShownBlock {
  readonly height: number;
  /** 0x hex. */
  readonly indexBlockHash: string;
  readonly burnBlockHeight: number;
  /** Whether the chain is not expected to replace it (docs/live.md, `finalized_height`). */
  readonly isFinal: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where the response shows the chain to its tip. */
    shownBlock: ShownBlock | undefined;
  }
}

/** The response shows the chain as of this block: its headers name it. */
export function shows(request: FastifyRequest, block: ShownBlock): void {
  request.shownBlock = block;
}

/** Whether a route with these parameters shows the chain as of any block. @param querystring its schema */
export const hasPast = (querystring: unknown): boolean =>
  'at' in ((querystring as { readonly properties?: object } | undefined)?.properties ?? {});

/** Parameters that name a state of the chain too: `at` may not be beside them. */
const OTHER_STATES = ['until_block', 'height', 'block_height', 'block_hash', 'tip', 'unanchored'];

/** The parameter of a request that names a state beside `at`; undefined without one. */
export const otherStateOf = (request: FastifyRequest): string | undefined => {
  const query = request.query as Readonly<Record<string, unknown>>;
  return OTHER_STATES.find(name => query[name] !== undefined && query[name] !== false);
};

/** Whether the request names a block as of which the response is to be. */
export const namesBlock = (request: FastifyRequest): boolean =>
  (request.query as { readonly at?: unknown } | undefined)?.at !== undefined;

/** The hook of routes that show the newest state alone, which a client must not take for that of the block it named. */
export const refusesPast: preValidationHookHandler = (request, _reply, done) => {
  if (namesBlock(request))
    throw invalidParameter('querystring/at must not be given to this route, which shows the newest state alone');
  done();
};
