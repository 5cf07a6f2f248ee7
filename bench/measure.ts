import type { Generator, Load } from './generator.ts';
import type { LoadRequest } from './load.ts';
import type { Program } from './program.ts';

/** A run of requests, and its cost for the servers. */
export interface Measured extends Load {
  /** Microseconds of CPU of all servers a request. */
  readonly cpuMicros: number;
}

/**
 * Sends requests for a quarter of the time to warm up, then measures. @param servers all processes that respond, and those that work for them
 */
export async function measure(
  generator: Generator,
  servers: readonly Pick<Program, 'cpuMicros'>[],
  request: LoadRequest,
): Promise<Measured> {
  await generator.run({ ...request, seconds: request.seconds / 4 });
  const used = () => servers.reduce((sum, server) => sum + server.cpuMicros(), 0);
  const before = used();
  const load = await generator.run(request);
  return { ...load, cpuMicros: (used() - before) / load.requests };
}

/** The share of unexpected responses, as a visible mark; null if all were expected. */
export function failuresOf({ statuses, requests }: Load, expected = '200'): string | null {
  const wrong = Object.entries(statuses).filter(([status]) => status !== expected);
  if (wrong.length === 0) return null;
  return `!! ${wrong.map(([status, count]) => `${((100 * count) / requests).toFixed(1)}% are ${status}`).join(', ')}`;
}
