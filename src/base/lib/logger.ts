import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';

/**
 * A logger of this program. An error that has a hint was expected: the log has its code, message and hint. Of any other error it has the
 * stack too, as that is a defect.
 */
export const createLogger = (options: LoggerOptions, destination?: DestinationStream): Logger =>
  pino({ ...options, serializers: { err: logged } }, destination ?? pino.destination(1));

function logged(error: unknown): unknown {
  if (!(error instanceof Error) || !('hint' in error) || typeof error.hint !== 'string')
    return error instanceof Error ? stdSerializers.err(error) : error;
  const { name, message, hint } = error;
  return { type: name, ...('code' in error && { code: error.code }), message, hint };
}
