/**
 * A queue in which clients take turns: the next item is of the client whose last turn was longest ago, however many items each has waiting.
 *
 *     waiting   A1 A2 A3   B1
 *     order     A1 B1 A2 A3
 */
export class FairQueue<C, T> {
  readonly #waiting = new Map<C, T[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  has(client: C): boolean {
    return this.#waiting.has(client);
  }

  push(client: C, item: T): void {
    const line = this.#waiting.get(client);
    if (line) line.push(item);
    else this.#waiting.set(client, [item]);
  }

  /** Removes an item that waits no longer. */
  remove(client: C, item: T): void {
    const line = this.#waiting.get(client);
    const at = line?.indexOf(item) ?? -1;
    if (line && at >= 0) line.splice(at, 1);
    if (line?.length === 0) this.#waiting.delete(client);
  }

  /** Removes and returns the next item. */
  shift(): T | undefined {
    const [next] = this.#waiting;
    return next && this.#take(...next);
  }

  /** Offers the first item of each client, in turn. Removes an item that `accepts` takes, and moves its client behind all others. */
  offer(accepts: (client: C, item: T) => boolean): void {
    for (const [client, line] of this.#waiting) {
      const [first] = line;
      if (first !== undefined && accepts(client, first)) this.#take(client, line);
    }
  }

  #take(client: C, line: T[]): T | undefined {
    const item = line.shift();
    this.#waiting.delete(client);
    if (line.length > 0) this.#waiting.set(client, line);
    return item;
  }
}
