import { AppError } from './app-error.ts';

/** An operation exceeded its time limit. */
export class DeadlineError extends AppError {
  override readonly name = 'DeadlineError';
  override readonly kind = 'caller';
}

/**
 * Runs a task with a signal that is aborted after that time, or when `outer` is. Settles then, even if the task never does, and drops
 * a later result or error of the task.
 * @throws the reason of `outer` once it is aborted, DeadlineError once the time is over, else what the task throws
 */
export async function withDeadline<T>(
  ms: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const timer = setTimeout(() => stop(new DeadlineError('took too long')), ms);
  const abort = () => stop(outer?.reason);
  outer?.addEventListener('abort', abort, { once: true });
  const running = task(controller.signal);
  try {
    return await Promise.race([running, stopped]);
  } catch (error) {
    running.catch(() => undefined);
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  }
}

/** Waits for the promise. Throws `late()` when the time is over, and ignores a later result or error of the promise. */
export async function within<T>(ms: number, promise: Promise<T>, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined);
  }
}
