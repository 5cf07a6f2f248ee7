/** Requests of the JSON-RPC WebSocket and their responses (docs/spec/live.md#json-rpc). */
import { isJsonObject } from '../../base/lib/json.ts';
import { RPC_EVENTS, type Subject, type SubjectKind, subjectOf } from './subjects.ts';

interface Responder {
  /** Resolves when the client's next piece of work may begin. */
  turn(): Promise<void>;
  /** @returns the reason of a failure, for `data` of the error */
  subscribe(method: 'subscribe' | 'unsubscribe', subject: Subject): Promise<string | undefined>;
}

type Id = string | number | null;

const ERRORS = {
  parse: [-32700, 'Parse error'],
  request: [-32600, 'Invalid request'],
  method: [-32601, 'Method not found'],
  params: [-32602, 'Invalid params'],
  internal: [-32603, 'Internal error'],
} as const;

/** Most requests of one frame: responses are larger than their requests. */
const MOST_AT_ONCE = 200;

const failure = (id: Id, kind: keyof typeof ERRORS, data?: unknown) => {
  const [code, message] = ERRORS[kind];
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
};

const KINDS = new Map<unknown, SubjectKind>(
  Object.entries(RPC_EVENTS).map(([kind, event]) => [event, kind as SubjectKind]),
);

/** Most characters of a client's input in an error. */
const MOST_REPEATED = 200;

/** A received value for an error: the value itself, or the beginning of its text if that is long. */
function repeated(value: unknown, text = JSON.stringify(value)): unknown {
  return text.length > MOST_REPEATED ? text.slice(0, MOST_REPEATED) : value;
}

/** The response to a frame as JSON text; undefined for a frame without response. */
export async function respondToFrame(text: string, responder: Responder): Promise<string | undefined> {
  await responder.turn();
  const parsed = parse(text);
  if (parsed === undefined) return JSON.stringify(failure(null, 'parse', repeated(text, text)));
  if (!Array.isArray(parsed.value) || parsed.value.length === 0) {
    const response = await respondToMessage(parsed.value, responder);
    return response && JSON.stringify(response);
  }
  if (parsed.value.length > MOST_AT_ONCE)
    return JSON.stringify(failure(null, 'request', `at most ${MOST_AT_ONCE} requests at once`));
  const responses: object[] = [];
  for (const message of parsed.value) {
    await responder.turn();
    const response = await respondToMessage(message, responder);
    if (response) responses.push(response);
  }
  return responses.length > 0 ? JSON.stringify(responses) : undefined;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

async function respondToMessage(message: unknown, { subscribe }: Responder): Promise<object | undefined> {
  if (!isJsonObject(message) || message.jsonrpc !== '2.0') return failure(null, 'request', repeated(message));
  const { id, method, params } = message;
  if (typeof method !== 'string') {
    const own = isId(id) ? id : null;
    if ('result' in message) return failure(own, 'request', 'unexpected success msg from client');
    if ('error' in message) return failure(own, 'request', 'unexpected error msg from client');
    return failure(null, 'request', repeated(message));
  }
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return failure(null, 'params', repeated(params));
  if (!('id' in message)) return undefined; // a notification gets no response
  if (!isId(id)) return failure(null, 'internal', '"id" must be provided, a string or an integer.');
  if (method !== 'subscribe' && method !== 'unsubscribe') return failure(id, 'method');
  const given = isJsonObject(params) ? params : {};
  if (given.event === undefined || given.event === '')
    return failure(id, 'params', 'subscription requests must include an event name');
  const kind = KINDS.get(given.event);
  if (kind === undefined) return failure(id, 'params', 'subscription request must use a valid event name');
  const subject = subjectOf(kind, given);
  if ('invalid' in subject) return failure(id, 'params', `invalid ${subject.invalid}`);
  const refusal = await subscribe(method, subject);
  return refusal === undefined ? { jsonrpc: '2.0', id, result: subject.about } : failure(id, 'params', refusal);
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isInteger(id);

/** A notification as JSON text. @param payload JSON text of an object */
export function notification({ kind, about }: Subject, payload: string): string {
  const params = withLeading(leadingOf(kind, about, payload), payload);
  return `{"jsonrpc":"2.0","method":"${RPC_EVENTS[kind]}","params":${params}}`;
}

/** The members before the payload: the address of a principal, and the id of the transaction. */
function leadingOf(kind: SubjectKind, { address }: Subject['about'], payload: string): object {
  if (kind === 'address-stx-balance') return { address };
  if (kind !== 'address-transaction') return {};
  const { tx_id, tx_status, tx_type } = (JSON.parse(payload) as { tx: Record<string, unknown> }).tx;
  return { address, tx_id, tx_status, tx_type };
}

function withLeading(leading: object, payload: string): string {
  const text = JSON.stringify(leading);
  return text === '{}' ? payload : `${text.slice(0, -1)},${payload.slice(1)}`;
}
