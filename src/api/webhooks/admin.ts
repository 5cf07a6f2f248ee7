import type { IncomingMessage, ServerResponse } from 'node:http';
import { quoted } from '../../base/lib/app-error.ts';
import { http } from '../../base/lib/node-http.ts';
import { showsSecret } from '../../base/lib/secrets.ts';
import { readRequestBody, wholeBody } from '../../ingest/node/request-body.ts';
import { WebhookRefused, type WebhookRequest } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

/** The path of the list of webhooks; `/hooks/<id>` is one of them. */
const PATH = /^\/hooks(?:\/([^/?]{1,100})(\/resume)?)?$/;
/** Bytes of a request. */
const MAX_BODY = 64 * 1024;

interface AdminResponse {
  readonly status: number;
  /** Undefined: an empty body. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Lists, adds, removes and resumes webhooks over HTTP, for clients that send the secret.
 * @returns handles a request; false when it is for another path
 */
export function webhookAdmin(
  webhooks: Webhooks,
  secret: string,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const [path, id, resume] = PATH.exec(request.url ?? '') ?? [];
    if (path === undefined) return false;
    const isAllowed = showsSecret(request.headers, secret);
    if (!isAllowed) request.resume();
    const outcome = isAllowed ? act(webhooks, request, id, resume !== undefined) : Promise.resolve(UNAUTHORIZED);
    outcome.catch(failureOf).then(found => send(response, found));
    return true;
  };
}

function act(
  webhooks: Webhooks,
  request: IncomingMessage,
  id: string | undefined,
  resume: boolean,
): Promise<AdminResponse> {
  const { method } = request;
  if (id === undefined && method === 'POST') return add(webhooks, request);
  request.resume();
  if (id === undefined && method === 'GET')
    return webhooks.list().then(results => ({ status: 200, body: { results } }));
  if (id !== undefined && resume && method === 'POST') return webhooks.resume(id).then(() => DONE);
  if (id !== undefined && !resume && method === 'DELETE') return webhooks.remove(id).then(() => DONE);
  const allow = id === undefined ? 'GET, POST' : resume ? 'POST' : 'DELETE';
  return Promise.resolve({ ...problem(405, 'METHOD_NOT_ALLOWED', `it takes ${allow}`), headers: { allow } });
}

async function add(webhooks: Webhooks, request: IncomingMessage): Promise<AdminResponse> {
  const read = await readRequestBody(request, MAX_BODY, true);
  if (read.kind !== 'complete')
    return {
      ...problem(413, 'BODY_TOO_LARGE', `the body may have ${MAX_BODY} bytes`),
      headers: { connection: 'close' },
    };
  const asked = requestIn(Buffer.from(wholeBody(read.body)).toString());
  return typeof asked === 'string'
    ? problem(400, 'WEBHOOK_REFUSED', asked)
    : { status: 201, body: await webhooks.add(asked) };
}

/** The request in the body, or an error text. */
function requestIn(text: string): WebhookRequest | string {
  const body = parsed(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body must be a JSON object';
  const { url, topics = ['block'], after, ...others } = body as Readonly<Record<string, unknown>>;
  const [other] = Object.keys(others);
  if (other !== undefined) return `${quoted(other)} is no member of a webhook: url, topics, after are`;
  if (typeof url !== 'string') return 'url must be a text';
  if (!Array.isArray(topics) || !topics.every(topic => typeof topic === 'string'))
    return 'topics must be a list of texts';
  if (after !== undefined && typeof after !== 'string') return 'after must be the id of an event';
  return { url, topics, after };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const DONE: AdminResponse = { status: 204 };

const problem = (status: number, code: string, message: string, hint?: string): AdminResponse => ({
  status,
  body: { statusCode: status, code, error: http.STATUS_CODES[status], message, ...(hint !== undefined && { hint }) },
});

const UNAUTHORIZED: AdminResponse = {
  ...problem(401, 'UNAUTHORIZED', 'the secret is missing or wrong', 'Authorization: Bearer SECRET'),
  headers: { 'www-authenticate': 'Bearer' },
};

function failureOf(error: unknown): AdminResponse {
  if (!(error instanceof WebhookRefused)) return problem(503, 'UNAVAILABLE', 'the webhooks cannot be read now');
  return problem(error.statusCode, error.code, error.message, error.hint);
}

function send(response: ServerResponse, { status, body, headers = {} }: AdminResponse): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else
    response
      .writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body));
}
