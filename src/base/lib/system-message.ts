import { getSystemErrorMessage } from 'node:util';

/** The operating system's text for an error, without the name of the call: `no such file or directory`. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Errors of zlib have numbers too, but not those of the system.
  const isOfSystem = 'syscall' in error && 'errno' in error && typeof error.errno === 'number';
  return isOfSystem ? getSystemErrorMessage(error.errno as number) : error.message;
}
