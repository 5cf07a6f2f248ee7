import type { FastifyRequest, preValidationHookHandler } from 'fastify';
import { invalidParameter } from './errors.ts';

/** The block that a response shows, if that is not the tip (docs/past.md). */
export interface ShownBlock {
  readonly height: number;
  /** 0x hex. */
  readonly indexBlockHash: string;
  readonly burnBlockHeight: number;
  /** Whether the chain is expected to keep the block (docs/live.md, `finalized_height`). */
  readonly isFinal: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the response shows the chain up to its tip. */
    shownBlock: ShownBlock | undefined;
  }
}

/** Notes that the response shows the chain as of this block: its headers name the block. */
export function shows(request: FastifyRequest, block: ShownBlock): void {
  request.shownBlock = block;
}

/** Whether a route with these parameters can show the chain as of any block. @param querystring its schema */
export const hasPast = (querystring: unknown): boolean =>
  'at' in ((querystring as { readonly properties?: object } | undefined)?.properties ?? {});

/** Parameters that also name a state of the chain: a request must not combine them with `at`. */
const OTHER_STATES = ['until_block', 'height', 'block_height', 'block_hash', 'tip', 'unanchored'];

/** The parameter, other than `at`, by which a request names a state; undefined without one. */
export const otherStateOf = (request: FastifyRequest): string | undefined => {
  const query = request.query as Readonly<Record<string, unknown>>;
  return OTHER_STATES.find(name => query[name] !== undefined && query[name] !== false);
};

/** Whether the request names the block that the response must show. */
export const namesBlock = (request: FastifyRequest): boolean =>
  (request.query as { readonly at?: unknown } | undefined)?.at !== undefined;

/** The hook of routes that show only the newest state: refuses requests that name a block, which would get the wrong state. */
export const refusesPast: preValidationHookHandler = (request, _reply, done) => {
  if (namesBlock(request))
    throw invalidParameter('querystring/at must not be given to this route, which shows the newest state alone');
  done();
};
