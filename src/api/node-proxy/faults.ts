import { AppError } from '../../base/lib/app-error.ts';
import { ApiError } from '../http/errors.ts';

/** Responses to a client when the node fails. They omit the text of the failure, as it may contain an address. */

/** 502: the node cannot be reached, or closes the connection. */
export const nodeUnreachable = (): ApiError =>
  new ApiError(502, 'The Stacks node behind this server cannot be reached. Try again later', {
    code: 'NODE_UNREACHABLE',
    reason: 'core node unresponsive',
  });

/** 504: the node is silent. */
export const nodeTimeout = (timeoutMs: number): ApiError =>
  new ApiError(504, `The Stacks node behind this server did not respond within ${timeoutMs} ms`, {
    code: 'NODE_TIMEOUT',
    reason: 'core node unresponsive',
  });

/** 503: the operator has named no node. */
export const nodeNotConfigured = (): ApiError =>
  new ApiError(503, 'This server has no Stacks node that requests could be forwarded to', {
    code: 'NODE_NOT_CONFIGURED',
    hint: 'The operator can name one with --node-rpc, or in the environment with STACKS_INDEX_NODE_RPC or STACKS_CORE_RPC_HOST.',
  });

/** 403: the path is not for clients. */
export const pathDenied = (method: string, path: string): ApiError =>
  new ApiError(403, `${method} ${path} is not forwarded to the node`, { code: 'NODE_PATH_DENIED' });

/** 413, in the form of the hosted API. */
export const bodyTooLarge = (most: number): ApiError =>
  new ApiError(413, `Request body is too large; at most ${most} bytes are forwarded`, {
    code: 'FST_ERR_CTP_BODY_TOO_LARGE',
  });

/** The kind of failure of an exchange with the node. */
type NodeFailure = 'timeout' | 'unreachable';

/** A failed exchange with the node. Only the log has its text. */
export class NodeFault extends AppError {
  override readonly name = 'NodeFault';
  override readonly kind = 'caller';
  readonly failure: NodeFailure;

  constructor(failure: NodeFailure, cause: unknown) {
    super(failure === 'timeout' ? 'the node did not respond in time' : 'the node cannot be reached', { cause });
    this.failure = failure;
  }
}
