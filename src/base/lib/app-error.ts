import { getSystemErrorMessage } from 'node:util';

/**
 * What the program does about an error of its own (docs/errors.md#kinds):
 * - `retry`: does the same work again after a pause; meanwhile requests and events get a 503.
 * - `operator`: ends the work. Message and hint are for the operator: in the log, or on stderr with exit status 1.
 * - `usage`: ends the command with exit status 2. Message and hint explain how to call it.
 * - `response`: sends a response with `statusCode`. Message and hint are for the client.
 * - `caller`: nothing by itself. The calling code catches it by its class; anywhere else it is a defect, shown with its stack.
 */
export const ERROR_KINDS = ['retry', 'operator', 'usage', 'response', 'caller'] as const;

type ErrorKind = (typeof ERROR_KINDS)[number];

interface ErrorDetails {
  readonly code?: string;
  readonly statusCode?: number;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The base of all errors that the program throws and distinguishes. Any other thrown value is a defect, or comes from a library. */
export abstract class AppError extends Error {
  abstract override readonly name: string;
  abstract readonly kind: ErrorKind;
  /** Stable, for programs. */
  readonly code: string | undefined;
  /** Status of the response; undefined for an error that never becomes a response. */
  readonly statusCode: number | undefined;
  /** What the reader can do about it; may be empty. */
  readonly hint: string;

  constructor(message: string, { code, statusCode, hint = '', cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.statusCode = statusCode;
    this.hint = hint;
  }
}

/** An AppError that another thread threw: cloning kept its members, but not its class. */
class ErrorOfThread extends AppError {
  override readonly name: string;
  override readonly kind: ErrorKind;

  constructor(error: AppError) {
    super(error.message, { ...detailsOf(error), cause: error });
    this.name = error.name;
    this.kind = error.kind;
  }
}

const detailsOf = ({ code, statusCode, hint }: AppError): ErrorDetails => ({
  ...(code !== undefined && { code }),
  ...(statusCode !== undefined && { statusCode }),
  hint,
});

/** The AppError that another thread threw; undefined for any other error. */
export function errorOfThread(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  return error instanceof Error && 'kind' in error && KINDS.has(error.kind)
    ? new ErrorOfThread(error as AppError)
    : undefined;
}

const KINDS: ReadonlySet<unknown> = new Set(ERROR_KINDS);

/** A client's text as error messages show it: in quotes, cut to 100 characters. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

/** The operating system's text for an error, without the name of the call: `no such file or directory`. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Errors of zlib have numbers too, but not those of the system.
  const isOfSystem = 'syscall' in error && 'errno' in error && typeof error.errno === 'number';
  return isOfSystem ? getSystemErrorMessage(error.errno as number) : error.message;
}
