/**
 * Every error response of the API. Handlers throw an ApiError; anything else that is thrown becomes a 500 with a
 * generic text, so that no internal text reaches a client.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/lib/app-error.ts';
import { http } from '../../base/lib/node-http.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { JSON_TYPE, removeEtag } from './headers.ts';

/** One row for every kind of error body; docs/errors.md explains each. */
export const ERROR_REGISTRY = [
  { status: 400, code: 'FST_ERR_VALIDATION', when: 'a path or query parameter, or the body, breaks its schema' },
  { status: 400, code: 'FST_ERR_CTP_EMPTY_JSON_BODY', when: 'the body is said to be JSON and is empty' },
  { status: 400, code: 'FST_ERR_CTP_INVALID_JSON_BODY', when: 'the body is no JSON, or has a member `__proto__`' },
  { status: 400, code: 'FST_ERR_BAD_URL', when: 'the path has a malformed percent escape' },
  {
    status: 400,
    code: undefined,
    when: 'a parameter is well formed but not valid, or the request is not HTTP or has two Host headers',
  },
  { status: 400, code: 'RESPONSE_TOO_LARGE', when: 'the response would be larger than what is sent at most' },
  { status: 403, code: 'NODE_PATH_DENIED', when: 'the path of the node is not for clients' },
  { status: 404, code: undefined, when: 'no such route, or no such resource' },
  {
    status: 406,
    code: 'NOT_ACCEPTABLE',
    when: 'the client does not accept what the route sends: an event stream, or pages of a list that cannot be downloaded',
  },
  { status: 408, code: undefined, when: 'the request did not arrive in time' },
  {
    status: 409,
    code: 'NOT_CANONICAL',
    when: 'a fork has replaced the block in `at`; the text names the height up to which the chain is the same',
  },
  {
    status: 410,
    code: undefined,
    when: 'the route is deprecated, and the operator switched such routes off; the body has just error and message',
  },
  { status: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE', when: 'the body is larger than the route takes' },
  { status: 414, code: 'FST_ERR_MAX_PARAM_LENGTH', when: 'a path segment is too long' },
  { status: 415, code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', when: 'the media type of the body is not that of JSON' },
  { status: 431, code: undefined, when: 'the URL and headers together are too long' },
  { status: 500, code: undefined, when: 'a defect of this program; the log has the cause under the request id' },
  {
    status: 503,
    code: undefined,
    when: 'the database cannot be reached or is busy; Retry-After is the delay before a retry',
  },
  { status: 503, code: 'DATABASE_DAMAGED', when: 'what the database stores cannot be read; the log has the cause' },
  {
    status: 503,
    code: 'NO_CHAIN_YET',
    when: 'the network is not known yet, neither from an event nor from the operator; Retry-After is the delay before a retry',
  },
  {
    status: 503,
    code: 'REBUILDING',
    when: 'the index is built anew for this release; `progress` in the body shows how far it is',
  },
  {
    status: 503,
    code: 'OVERLOADED',
    when: 'more requests arrived than the server can handle in time; Retry-After is the delay before a retry',
  },
  {
    status: 429,
    code: 'TOO_MANY_AT_ONCE',
    when: 'the address of the client holds its share of what the server has; Retry-After is the delay before a retry',
  },
  { status: 429, code: 'TOO_MANY_STREAMS', when: 'the address of the client has as many streams as it may have' },
  {
    status: 503,
    code: 'STREAMS_FULL',
    when: 'no more clients can stream at once; Retry-After is the delay before a retry',
  },
  {
    status: 503,
    code: 'SEARCH_TOO_LONG',
    when: 'the page can only be found by looking at more records than one request may; the same request fails again',
  },
  {
    status: 422,
    code: undefined,
    when: 'a token is there and its metadata is not; the body has just error and message',
  },
  { status: 502, code: 'FAUCET_REFUSED', when: 'the node, or the wallet, did not take a transfer of the faucet' },
  { status: 503, code: 'FAUCET_EMPTY', when: 'the faucet does not have enough left' },
  {
    status: 503,
    code: 'FAUCET_UNAVAILABLE',
    when: 'the node, or the wallet, that the faucet pays from cannot be reached',
  },
  { status: 502, code: 'NODE_UNREACHABLE', when: 'the node cannot be reached, or hangs up' },
  { status: 503, code: 'NODE_NOT_CONFIGURED', when: 'the path is one of a node, and no node is named' },
  { status: 504, code: 'NODE_TIMEOUT', when: 'the node did not respond in time' },
  { status: 503, code: 'METADATA_OFF', when: 'no token metadata is fetched; the code is not in the body' },
] as const;

/** The optional members of an ApiError. */
interface ErrorExtras {
  /** A stable, machine-readable name of the error. */
  readonly code?: string;
  /** How the client can avoid the error; the last key of the body. */
  readonly hint?: string;
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number;
  /** Replaces the reason phrase as `error`; the body is then only `error` and, if not empty, `message`. */
  readonly title?: string;
  /** Replaces the reason phrase as `error` in a body that is complete otherwise. */
  readonly reason?: string;
  /** Further members of the body. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error whose text is meant for the client. */
export class ApiError extends AppError {
  override readonly name = 'ApiError';
  override readonly kind = 'response';
  declare readonly statusCode: number;
  readonly retryAfter: number | undefined;
  readonly title: string | undefined;
  readonly reason: string | undefined;
  readonly details: ErrorExtras['details'];

  constructor(statusCode: number, message: string, extras: ErrorExtras = {}) {
    super(message, { ...extras, statusCode });
    this.retryAfter = extras.retryAfter;
    this.title = extras.title;
    this.reason = extras.reason;
    this.details = extras.details;
  }
}

/** 404 for a missing resource. */
export const notFound = (message: string): ApiError => new ApiError(404, message);

/** 400 for a parameter that its schema accepts but the handler does not. */
export const badRequest = (message: string, hint?: string): ApiError =>
  new ApiError(400, message, hint === undefined ? {} : { hint });

/** 400 in the form of a schema violation; `message` begins with `params/<name> ` or `querystring/<name> `. */
export const invalidParameter = (message: string): ApiError =>
  new ApiError(400, message, { code: 'FST_ERR_VALIDATION' });

/** 503 while the database is away; `retryAfter` in seconds. */
export const unavailable = (retryAfter = 5): ApiError =>
  new ApiError(503, `Try again in ${retryAfter} s`, { title: 'The database service is unavailable', retryAfter });

/** Whether the database is damaged, or its disk fails: other requests may read intact parts. */
const isDamage = (thrown: unknown): boolean => thrown instanceof FatalDatabaseError && thrown.code === 'CORRUPT';

/** The 503 for a database that cannot be read. */
export const unreadable = (thrown: unknown): ApiError =>
  isDamage(thrown)
    ? new ApiError(503, 'The database is damaged', {
        code: 'DATABASE_DAMAGED',
        hint: 'The operator must check the disk, then rebuild the index or restore a backup.',
      })
    : unavailable();

/** 503 until an event shows which chain is indexed; `retryAfter` in seconds. */
export const noChainYet = (retryAfter = 5): ApiError =>
  new ApiError(503, 'No chain yet: no transaction in a block has said which network this is', {
    code: 'NO_CHAIN_YET',
    hint: 'The first block with a signed transaction says it, or the operator with --chain-id.',
    retryAfter,
  });

/** Progress of an index that is being rebuilt. */
export interface RebuildProgress {
  /** Events of the journal that are in the index, and `events`, all of them. */
  readonly indexed: number;
  readonly events: number;
  /** Height of its tip. */
  readonly height: number;
  /** Milliseconds since 1970; undefined while it cannot be estimated. */
  readonly estimatedEnd: number | undefined;
}

/** 503 while the index is rebuilt. @param now milliseconds since 1970 */
export function rebuilding({ indexed, events, height, estimatedEnd }: RebuildProgress, now = Date.now()): ApiError {
  const part = events === 0 ? 0 : Math.floor((indexed / events) * 1000) / 1000;
  const seconds = estimatedEnd === undefined ? 5 : Math.round((estimatedEnd - now) / 1000);
  return new ApiError(503, `The index is built anew for this release: ${indexed} of ${events} events are in it`, {
    code: 'REBUILDING',
    hint: 'Events of the node are stored meanwhile. The next upgrade has no such pause if the operator runs `stacks-index reindex` of the new release first.',
    retryAfter: Math.min(60, Math.max(5, seconds)),
    details: {
      progress: {
        part,
        ...{ indexed, events, height },
        estimated_end: estimatedEnd === undefined ? null : new Date(estimatedEnd).toISOString(),
      },
    },
  });
}

/** 503 for a request beyond the server's capacity; `retryAfter` in seconds. */
export const overloaded = (retryAfter = 1): ApiError =>
  new ApiError(503, `Too many requests at once. Try again in ${retryAfter} s`, { code: 'OVERLOADED', retryAfter });

/** 400 for a response above the size limit. Sizes in bytes. */
export const responseTooLarge = (size: number, most: number): ApiError =>
  new ApiError(400, `The response would have ${size} bytes; at most ${most} are sent`, {
    code: 'RESPONSE_TOO_LARGE',
    hint: 'Ask for fewer items with a smaller limit.',
  });

/** A body of just `error` and perhaps `message`, as token metadata has it. */
export const titled = (statusCode: number, title: string, message = ''): ApiError =>
  new ApiError(statusCode, message, { title });

/** The body as JSON text (docs/spec/http.md#error-bodies). */
export function errorBody(error: ApiError): string {
  if (error.title !== undefined) {
    return JSON.stringify({ error: error.title, message: error.message === '' ? undefined : error.message });
  }
  return JSON.stringify({
    statusCode: error.statusCode,
    code: error.code,
    error: error.reason ?? http.STATUS_CODES[error.statusCode] ?? 'Error',
    message: error.message,
    hint: error.hint === '' ? undefined : error.hint,
    ...error.details,
  });
}

/** Fastify's error handler: turns whatever was thrown into one of the bodies above. */
export function handleError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = isCutOff(thrown, request) ? badRequest('The request was cut off') : asApiError(thrown);
  removeEtag(reply);
  if (error.statusCode >= 500 && !UNLOGGED.has(error.code)) {
    request.log.error({ err: thrown, reqId: request.id, method: request.method, url: request.url }, 'request failed');
  }
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  reply.code(error.statusCode).header('content-type', JSON_TYPE).send(errorBody(error));
}

/** Whether a client hung up, or broke the rules of HTTP, within its body: no defect, and anyone could fill the log with it. */
const isCutOff = (thrown: unknown, { raw }: FastifyRequest): boolean =>
  !raw.complete && thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNRESET';

/**
 * Errors that are not logged, as a single one needs no action by the operator. Under overload a log line per request would
 * add to the load (requestsShed counts them). A client chooses how many rows its request searches; the operator chose to
 * run without metadata or without a node; and a failing node is logged once.
 */
const UNLOGGED: ReadonlySet<string | undefined> = new Set([
  'OVERLOADED',
  'STREAMS_FULL',
  'SEARCH_TOO_LONG',
  'METADATA_OFF',
  'NODE_NOT_CONFIGURED',
  'NODE_UNREACHABLE',
  'NODE_TIMEOUT',
  'FAUCET_EMPTY',
  'FAUCET_REFUSED',
  'FAUCET_UNAVAILABLE',
]);

/** The error that a client receives for whatever was thrown. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isDamage(thrown) || (thrown instanceof AppError && thrown.kind === 'retry')) return unreadable(thrown);
  if (!(thrown instanceof Error)) return internal();
  const { statusCode, code, validation, message } = thrown as Partial<FrameworkError> & Error;
  if (validation !== undefined) return invalidParameter(message);
  return isClientError(statusCode) && typeof code === 'string' && code.startsWith('FST_')
    ? new ApiError(statusCode, message, { code })
    : internal();
}

/** Members of Fastify's own errors. */
interface FrameworkError {
  readonly statusCode: number;
  readonly code: unknown;
  readonly validation: unknown;
}

const isClientError = (status: number | undefined): status is number =>
  status !== undefined && status >= 400 && status < 500;

const internal = (): ApiError => new ApiError(500, 'Something went wrong on our side');
