/** Does work without its output: the Clarity VM prints errors and prints of contracts to the console. */
export function quietly<T>(work: () => T): T {
  const { log, error, warn } = console;
  const silent = () => {};
  Object.assign(console, { log: silent, error: silent, warn: silent });
  try {
    return work();
  } finally {
    Object.assign(console, { log, error, warn });
  }
}
