import type { FastifyReply } from 'fastify';
import type { Tip, TipSource } from '../../ingest/chain/tip.ts';

/** Header values that several modules send (docs/spec/http.md#headers). */
export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';
export const YAML_TYPE = 'application/yaml; charset=utf-8';
export const NO_STORE = 'no-store';
export const REVALIDATE = 'public, no-cache, must-revalidate';
/** Cache-Control of responses as of a final block. */
export const KEEP_A_DAY = 'public, max-age=86400';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** The height up to which both branches of a fork are the same (docs/spec/cursors.md#forks). */
export const FORK_HEIGHT = 'X-Stacks-Fork-Height';

/** Headers that scripts of other sites may read. */
const EXPOSED = [
  'X-API-Version',
  'ETag',
  'X-Stacks-Tip-Height',
  'X-Stacks-Tip-Index-Block-Hash',
  'X-Stacks-Burn-Block-Height',
  FORK_HEIGHT,
  'Link',
].join(', ');

/** The headers of every response, whatever its status, except those of the tip. Most responses are JSON. */
function baseHeaders(version: string): ResponseHeaders {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': EXPOSED,
    'x-api-version': `v${version}`,
    'cache-control': NO_STORE,
    'x-content-type-options': 'nosniff',
    'content-type': JSON_TYPE,
  };
}

/** Two tips with the same value of this header are the same tip. */
export const TIP_HASH = 'x-stacks-tip-index-block-hash';

/** The headers that name a tip, or the block that a response shows in its place (docs/spec/http.md#the-tip); none for an empty chain. */
export const tipHeaders = (
  tip: Pick<Tip, 'height' | 'indexBlockHash' | 'burnBlockHeight'> | undefined,
): ResponseHeaders =>
  tip === undefined
    ? {}
    : {
        'x-stacks-tip-height': String(tip.height),
        [TIP_HASH]: tip.indexBlockHash,
        'x-stacks-burn-block-height': String(tip.burnBlockHeight),
      };

/** The current headers of every response: made once per tip, not per request. */
export class CurrentHeaders {
  readonly #base: ResponseHeaders;
  readonly #source: TipSource;
  #tip: Tip | undefined;
  #ofTip: ResponseHeaders = {};
  #all: ResponseHeaders;

  constructor(version: string, source: TipSource) {
    this.#base = baseHeaders(version);
    this.#source = source;
    this.#all = this.#base;
  }

  /** All of them. */
  readonly all = (): ResponseHeaders => {
    this.#refresh();
    return this.#all;
  };

  /** The headers of the tip only. */
  readonly ofTip = (): ResponseHeaders => {
    this.#refresh();
    return this.#ofTip;
  };

  #refresh(): void {
    const tip = this.#source.current();
    if (tip === this.#tip) return;
    this.#tip = tip;
    this.#ofTip = tipHeaders(tip);
    this.#all = { ...this.#base, ...this.#ofTip };
  }
}

/** The ETag of the same response in another form, such as compressed (RFC 9110 8.8.1). @param etag with its quotes */
export const weak = (etag: string): string => `W/${etag}`;

/** Removes the ETag of an error: with the ETag of the tip, a client would get a 304 for the error even after it is gone. */
export const removeEtag = (reply: FastifyReply): FastifyReply =>
  reply.removeHeader('etag').header('cache-control', NO_STORE);
