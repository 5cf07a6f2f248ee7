import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { AppError } from './app-error.ts';
import { logLines } from './log-lines.ts';

const STDOUT = 1;

/**
 * A logger of this program. An error that has a hint was expected: the log has its code, message and hint. Of any other error it has the
 * stack too, as that is a defect.
 */
export const createLogger = (options: LoggerOptions, destination?: DestinationStream): Logger =>
  pino({ ...options, serializers: { err: logged } }, destination ?? logLines(STDOUT));

function logged(error: unknown): unknown {
  if (!(error instanceof AppError) || error.hint === '')
    return error instanceof Error ? stdSerializers.err(error) : error;
  const { name, code, message, hint } = error;
  return { type: name, code, message, hint };
}
