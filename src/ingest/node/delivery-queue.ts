/** Runs tasks strictly one at a time, in the order they were added. A failing task does not stop the next. */
interface DeliveryQueue {
  add<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when everything added so far is done. */
  idle(): Promise<void>;
}

export function createDeliveryQueue(): DeliveryQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(task) {
      const result = last.then(task);
      last = result.catch(() => {});
      return result;
    },
    async idle() {
      await last;
    },
  };
}
