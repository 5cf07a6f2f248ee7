import { type ClarityValue, decodeClarityValue } from '../../base/codec/index.ts';
import { boundedBody } from '../../base/lib/bounded-body.ts';
import { DeadlineError, withDeadline } from '../../base/lib/deadline.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import { fail, type Result } from '../../base/lib/result.ts';

/** Requests to the HTTP interface of the operator's own Stacks node. */
export interface NodeRpc {
  /** Calls a function that writes nothing. @throws the reason of the signal, when it is aborted */
  callReadOnly(call: ReadOnlyCall): Promise<Result<ClarityValue, NodeCallError>>;
}

export interface ReadOnlyCall {
  readonly contractId: string;
  readonly functionName: string;
  /** Serialised Clarity values. */
  readonly args: readonly Uint8Array[];
  /** Index block hash, 0x hex: the state after that block; a node that does not have it yet is `unavailable`. */
  readonly tip?: string;
  readonly signal?: AbortSignal;
}

/**
 * - `rejected`: the contract rejects the call, and will do so again.
 * - `too-costly`: the call met limits of the node; once may be chance.
 * - `unknown-contract`: the node does not know the contract, or not yet.
 * - `unavailable`: the response carries no information about the contract.
 */
export type NodeCallErrorKind = 'rejected' | 'too-costly' | 'unknown-contract' | 'unavailable';

export interface NodeCallError {
  readonly kind: NodeCallErrorKind;
  readonly message: string;
}

interface NodeRpcOptions {
  /** `http://host:port` */
  readonly base: string;
  /** For one whole exchange. */
  readonly timeoutMs: number;
  /** Largest response read. */
  readonly maxBytes: number;
}

export const DEFAULT_RPC_LIMITS = { timeoutMs: 10_000, maxBytes: 2_000_000 } as const;

/** How a node refuses a call that takes more time or memory than it allows: 400, before version 4.0.2 408. */
const LIMITS_MET: ReadonlySet<number> = new Set([400, 408]);

/** POST /v2/contracts/call-read of a node (docs/spec/token-metadata.md#reading-a-contract). */
export function createNodeRpc({ base, timeoutMs, maxBytes }: NodeRpcOptions): NodeRpc {
  return {
    async callReadOnly({ contractId, functionName, args, tip, signal }) {
      // Any principal of the network will do as the sender: read-only functions of tokens hardly ever check the caller.
      const [sender = ''] = contractId.split('.', 1);
      const path = `v2/contracts/call-read/${contractId.replace('.', '/')}/${encodeURIComponent(functionName)}`;
      const query = tip === undefined ? '' : `?tip=${tip.replace(/^0x/, '')}`;
      const body = JSON.stringify({ sender, arguments: args.map(toHex) });
      try {
        return await withDeadline(timeoutMs, signal, async within => {
          const response = await fetch(`${base.replace(/\/+$/, '')}/${path}${query}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
            redirect: 'error',
            signal: within,
          });
          const text = (await boundedBody(response, maxBytes))?.toString('utf8');
          if (text === undefined) return unavailable(`the response of the node has more than ${maxBytes} bytes`);
          if (response.status === 200) return readResult(text);
          const message = `the node responded with ${response.status}: ${text.slice(0, 100)}`;
          return LIMITS_MET.has(response.status) ? fail({ kind: 'too-costly', message }) : unavailable(message);
        });
      } catch (error) {
        signal?.throwIfAborted();
        const isLate = error instanceof DeadlineError;
        return unavailable(isLate ? `the node did not respond within ${timeoutMs} ms` : reasonOf(error));
      }
    },
  };
}

const unavailable = (message: string): Result<never, NodeCallError> => fail({ kind: 'unavailable', message });

/** The error of fetch reports only that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `the node cannot be reached: ${error.cause.message}` : error.message;
}

function readResult(text: string): Result<ClarityValue, NodeCallError> {
  const result = parseObject(text);
  if (result?.okay === false) return fail(failedCall(typeof result.cause === 'string' ? result.cause : ''));
  const bytes = result?.okay === true && typeof result.result === 'string' ? fromHex(result.result) : undefined;
  const value = bytes && decodeClarityValue(bytes);
  return value?.ok ? value : unavailable('the node responded with something else than the result of a call');
}

function parseObject(text: string): { okay?: unknown; cause?: unknown; result?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Causes that are about the limits of the node. */
const COSTLY = /^(Cost\w*|\w*Budget\w*|\w*LimitReached|ExecutionTime\w*|MemoryBalanceExceeded|MaxStackDepthReached)$/;

/** Nodes wrap the same cause differently from version to version: `Unchecked(X(..))`, `RuntimeCheck(X(..))`, `X`. */
function failedCall(cause: string): NodeCallError {
  const inner = /^(?:(?:Unchecked|RuntimeCheck|Runtime|Static\w*|Check\w*)\()*(\w+)/.exec(cause.trim())?.[1] ?? '';
  const message = cause.slice(0, 300);
  if (inner === 'NoSuchContract') return { kind: 'unknown-contract', message };
  return { kind: COSTLY.test(inner) ? 'too-costly' : 'rejected', message };
}
