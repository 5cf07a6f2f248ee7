import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../http/errors.ts';

/**
 * The explorer's only source of data: requests of the public API, made within this process. So a page can show nothing
 * that the API does not serve, and its "as JSON" lists every request behind it. A client is for one page.
 */
export interface ApiClient {
  /** @throws ApiError with the status and the message of any response but a 200 */
  get<T>(path: string): Promise<T>;
  /**
   * Undefined for an absent entity or part: a 404, and a 422 or 503 of a part that is off. @throws ApiError for other
   * failures
   */
  find<T>(path: string): Promise<T | undefined>;
  /** POSTs JSON, for reading routes that take a body; undefined and errors as with `find`. */
  post<T>(path: string, body: object): Promise<T | undefined>;
  /** The GET requests so far, in their order. */
  readonly asked: readonly RequestOfPage[];
}

/** A GET request behind a page. */
export interface RequestOfPage {
  readonly path: string;
  /** False if the entity or the part is absent: then the response is no record. */
  readonly isAnswered: boolean;
}

/** Sends a request to the server without a socket: Fastify's `inject`. */
export type Inject = (request: {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly payload?: object;
}) => Promise<{
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}>;

/** Codes of responses for a part that this server runs without; they are not failures. */
const OFF: readonly (string | undefined)[] = ['NODE_NOT_CONFIGURED', 'NODE_UNREACHABLE', 'NODE_TIMEOUT'];

/**
 * A client that sends its requests through `inject`: without a socket, with the limits and checks of every other
 * client.
 */
export function apiClient(inject: Inject): ApiClient {
  const asked: RequestOfPage[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** The last response to a request that was refused at each try. */
  let givenUp: Answered | undefined;
  const ask = async (path: string, payload?: object): Promise<Answered> => {
    const place = asked.length;
    if (!payload) asked.push({ path, isAnswered: false });
    const response = await askUntilServed(path, payload);
    if (!payload) asked[place] = { path, isAnswered: response.status === 200 };
    return response;
  };
  const askUntilServed = async (path: string, payload?: object): Promise<Answered> => {
    const response = await askOnce(path, payload);
    if (!isRefusal(response)) return response;
    // With a low limit, requests of one page exclude each other, so refused ones are repeated one after the other.
    const repeated = last.then(() => repeat(path, payload));
    last = repeated.catch(() => {});
    return repeated;
  };
  const repeat = async (path: string, payload?: object): Promise<Answered> => {
    for (let times = 0; times < TIMES_AGAIN && !givenUp; times++) {
      const response = await askOnce(path, payload);
      if (!isRefusal(response)) return response;
      if (times === TIMES_AGAIN - 1) givenUp = response;
      else await setTimeout(MOMENT);
    }
    return givenUp as Answered;
  };
  const askOnce = async (path: string, payload?: object): Promise<Answered> => {
    const response = await inject(payload ? { method: 'POST', url: path, payload } : { method: 'GET', url: path });
    const body: unknown = isJson(response.headers['content-type']) ? JSON.parse(response.body) : response.body;
    return { status: response.statusCode, body, retryAfter: response.headers['retry-after'] };
  };
  return {
    asked,
    get: async <T>(path: string) => {
      const response = await ask(path);
      if (response.status === 200) return response.body as T;
      throw failureOf(response);
    },
    find: async <T>(path: string) => orAbsent<T>(await ask(path)),
    post: async <T>(path: string, body: object) => orAbsent<T>(await ask(path, body)),
  };
}

/** Tries after a refused request, with pauses in milliseconds; then the page fails. */
const TIMES_AGAIN = 4;
const MOMENT = 250;

/** Whether the response refuses too many requests at once, of all clients or of the reader's address. */
const isRefusal = ({ body }: Answered): boolean => {
  const code = (body as ErrorBody | null)?.code;
  return code === 'OVERLOADED' || code === 'TOO_MANY_AT_ONCE';
};

interface Answered {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: unknown;
}

function orAbsent<T>(response: Answered): T | undefined {
  if (response.status === 200) return response.body as T;
  const failure = failureOf(response);
  if (isAbsence(failure)) return undefined;
  throw failure;
}

const isJson = (type: unknown): boolean => String(type).startsWith('application/json');

/** Whether the entity is absent, or the part of the server is switched off. Bodies of token metadata have no code, but a title of their own. */
const isAbsence = ({ statusCode, code, title }: ApiError): boolean =>
  statusCode === 404 ||
  statusCode === 422 ||
  (OFF.includes(code) && statusCode >= 500) ||
  (statusCode === 503 && title === METADATA_OFF);

const METADATA_OFF = 'Token metadata is not available';

function failureOf({ status, body, retryAfter }: Answered): ApiError {
  const { message, code, hint, error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  return new ApiError(status, message ?? error ?? 'The API gave no reason', {
    ...(code !== undefined && { code }),
    ...(hint !== undefined && { hint }),
    ...(code === undefined && error !== undefined && { title: error }),
    ...(Number(retryAfter) > 0 && { retryAfter: Number(retryAfter) }),
  });
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly error?: string;
}
