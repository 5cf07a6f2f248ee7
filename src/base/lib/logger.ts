import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { AppError } from './app-error.ts';
import { logLines } from './log-lines.ts';

const STDOUT = 1;

/**
 * A logger of this program. An error with a hint was expected: the log has its code, message and hint. Any other error is a defect: the
 * log has its stack too.
 */
export const createLogger = (options: LoggerOptions, destination?: DestinationStream): Logger =>
  pino({ ...options, serializers: { err: logged } }, destination ?? logLines(STDOUT));

function logged(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hint === '')
    return error instanceof Error ? stdSerializers.err(error) : error;
  const { name, code, message, hint } = error;
  return { type: name, code, message, hint };
}
