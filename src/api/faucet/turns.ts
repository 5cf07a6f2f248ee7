import { tooMuchForNode } from '../node-proxy/faults.ts';

/** Runs one task at a time, in the order of the requests. */
export class Turns {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param most that may wait, the one in progress included */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws ApiError 503 while too many wait */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= this.#most) throw tooMuchForNode();
    this.#waiting++;
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      this.#waiting--;
    }
  }
}
