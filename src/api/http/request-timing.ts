import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  FastifyInstance,
  FastifyRequest,
  onRequestHookHandler,
  onResponseHookHandler,
  onSendHookHandler,
} from 'fastify';
import type { QueryObserver } from '../../base/store/query-observer.ts';

export interface RequestTimingOptions {
  /** Requests that take at least this long are logged, in milliseconds; undefined: no request is logged. */
  readonly logSlowMs: number | undefined;
  /** Responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
  /** A statement of a route has ended; `route` is its path with placeholders, empty for an unknown one. */
  readonly onStatement: (route: string, seconds: number) => void;
}

/** The cost of one request so far. */
interface RequestCost {
  readonly route: string;
  /** Totals by text: a download repeats the same statements for hours. */
  readonly statements: Map<string, StatementCost>;
  waitMs: number;
}

/** Total cost of a statement, however often it was sent. */
interface StatementCost {
  calls: number;
  rows: number;
  ms: number;
  failed: boolean;
}

const noCost = (): StatementCost => ({ calls: 0, rows: 0, ms: 0, failed: false });

function add(cost: StatementCost, { calls, rows, ms, failed }: StatementCost): StatementCost {
  cost.calls += calls;
  cost.rows += rows;
  cost.ms += ms;
  cost.failed ||= failed;
  return cost;
}

/** Most distinct statements of a request in the log, and characters of each. */
const MOST_STATEMENTS = 20;
const MOST_CHARACTERS = 500;

/**
 * Measures what requests cost, statement by statement. The database calls this object as its observer; the async
 * context identifies the request of a statement. Without an object of this class nothing is measured.
 */
export class RequestTiming implements QueryObserver {
  readonly #options: RequestTimingOptions;
  readonly #context = new AsyncLocalStorage<RequestCost>();
  /** Costs of requests that may be logged: their last hook runs in another async context. */
  readonly #costs = new WeakMap<FastifyRequest, RequestCost>();

  constructor(options: RequestTimingOptions) {
    this.#options = options;
  }

  statement(sql: string, rows: number | undefined, ms: number): void {
    const cost = this.#context.getStore();
    if (cost === undefined) return;
    const known = cost.statements.get(sql) ?? noCost();
    cost.statements.set(sql, add(known, { calls: 1, rows: rows ?? 0, ms, failed: rows === undefined }));
    this.#options.onStatement(cost.route, ms / 1000);
  }

  waited(ms: number): void {
    const cost = this.#context.getStore();
    if (cost !== undefined) cost.waitMs += ms;
  }

  /** Adds the hooks that the options need. Call it before routes are added. */
  addHooks(api: Pick<FastifyInstance, 'addHook'>): void {
    api.addHook('onRequest', this.#onRequest);
    if (this.#options.serverTiming) api.addHook('onSend', this.#onSend);
    if (this.#options.logSlowMs !== undefined) api.addHook('onResponse', this.#onResponse);
  }

  readonly #onRequest: onRequestHookHandler = (request, _reply, done) => {
    const cost = { route: request.route.url ?? '', statements: new Map(), waitMs: 0 };
    if (this.#options.logSlowMs !== undefined) this.#costs.set(request, cost);
    this.#context.run(cost, done);
  };

  readonly #onSend: onSendHookHandler = (_request, reply, payload, done) => {
    const cost = this.#context.getStore();
    if (cost !== undefined) reply.header('server-timing', serverTiming(cost, reply.elapsedTime));
    done(null, payload);
  };

  readonly #onResponse: onResponseHookHandler = (request, reply, done) => {
    const { logSlowMs = Number.POSITIVE_INFINITY } = this.#options;
    const cost = this.#costs.get(request);
    if (cost !== undefined && reply.elapsedTime >= logSlowMs)
      request.log.warn(slowRequest(request, reply.statusCode, reply.elapsedTime, cost), 'slow request');
    done();
  };
}

/** https://www.w3.org/TR/server-timing/ */
function serverTiming({ statements, waitMs }: RequestCost, totalMs: number): string {
  const { calls, rows, ms } = [...statements.values()].reduce(add, noCost());
  return [
    `total;dur=${rounded(totalMs)}`,
    `db;dur=${rounded(ms)};desc="${calls} statements, ${rows} rows"`,
    `wait;dur=${rounded(waitMs)};desc="for a database connection"`,
  ].join(', ');
}

function slowRequest(request: FastifyRequest, status: number, ms: number, { route, statements, waitMs }: RequestCost) {
  const { operationId } = Object(request.routeOptions.schema) as { operationId?: string };
  return {
    reqId: request.id,
    operationId,
    method: request.method,
    route,
    parameters: { ...Object(request.params), ...Object(request.query) } as Record<string, unknown>,
    status,
    ms: rounded(ms),
    waitMs: rounded(waitMs),
    statements: summary(statements),
  };
}

/** Groups equal statements, those with the longest total first. */
function summary(statements: RequestCost['statements']) {
  const all = [...Map.groupBy(statements, ([sql]) => shortened(sql))].map(([sql, same]) => {
    const { calls, rows, ms, failed } = same.map(([, cost]) => cost).reduce(add, noCost());
    return { sql, calls, rows, ms: rounded(ms), ...(failed && { failed }) };
  });
  return all.toSorted((one, other) => other.ms - one.ms).slice(0, MOST_STATEMENTS);
}

/** In one line, with lists of parameters shortened, so that statements that differ only in their length are equal. */
function shortened(sql: string): string {
  const line = sql
    .replace(/\s+/g, ' ')
    .replace(/\?(, ?\?)+/g, '?, ...')
    .trim();
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)} ...`;
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;
