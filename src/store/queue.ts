export type SerialQueue = <T>(job: () => Promise<T>) => Promise<T>;

/**
 * Gives a function that runs jobs one after the other, in the order of its calls; each call gives the result of its job.
 * A job that fails does not stop the next one.
 */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return job => {
    const result = last.then(job);
    last = result.catch(() => undefined);
    return result;
  };
}
