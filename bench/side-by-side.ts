import { cpus } from 'node:os';
import { CLIENT_LIMIT, startGenerator } from './generator.ts';
import { failuresOf, measure } from './measure.ts';
import type { Program } from './program.ts';
import { quantileOf, type Table, TablePrinter } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** Servers that share the requests for one index. */
export interface Setup {
  readonly name: string;
  readonly ports: readonly number[];
  readonly servers: readonly Program[];
  /** Whether this setup only shows by how much the machine itself increases the cost. */
  readonly isControl?: boolean;
}

/** Client processes: a single one would reach its limit before two servers do. */
const CLIENTS = 2;

/** The most CPU of a request to several servers, as a multiple of that to one server. */
const GOAL = 1.1;

/** At this share of use or above, the cores of the machine are the limit. */
const MACHINE_LIMIT = 0.95;

/** Sends the same requests to each setup in turn, page by page; the ratio is last to first. */
export async function compareSetups(
  title: string,
  setups: readonly Setup[],
  pages: readonly Scenario[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Table> {
  const printer = new TablePrinter(title, [
    { key: 'page', title: 'page' },
    ...setups.map(({ name }, i) => ({ key: `perSecond${i}`, title: `${name}, r/s` })),
    { key: 'ratio', title: 'ratio', digits: 2 },
    ...setups.map(({ name }, i) => ({ key: `cpuMicros${i}`, title: `${name}, us` })),
    ...setups.slice(1).map(({ name }, i) => ({ key: `cpuRatio${i + 1}`, title: `${name}, ratio`, digits: 2 })),
    { key: 'limit', title: 'limited by' },
    { key: 'failures', title: '' },
  ]);
  const cpuRatios = setups.map((): number[] => []);
  const generator = startGenerator(CLIENTS);
  try {
    // Each process compiles for itself: without this, two of them seem to cost more.
    for (const { ports } of setups)
      for (const { paths, cold = false } of pages) await generator.run({ ports, connections, seconds, paths, cold });
    for (const { name, paths, cold = false } of pages) {
      const row: Record<string, number | string | null> = { page: name, limit: null, failures: null };
      for (const [i, { ports, servers }] of setups.entries()) {
        const machine = busyShare();
        const measured = await measure(generator, servers, { ports, connections, seconds, paths, cold });
        row[`perSecond${i}`] = measured.perSecond;
        row[`cpuMicros${i}`] = measured.cpuMicros;
        row.failures ??= failuresOf(measured);
        row.limit =
          measured.clientShare > CLIENT_LIMIT ? 'client' : machine() > MACHINE_LIMIT ? 'machine' : (row.limit ?? null);
      }
      row.ratio = Number(row[`perSecond${setups.length - 1}`]) / Number(row.perSecond0);
      for (const [i, ratios] of cpuRatios.entries()) {
        const ratio = Number(row[`cpuMicros${i}`]) / Number(row.cpuMicros0);
        row[`cpuRatio${i}`] = ratio;
        ratios.push(ratio);
      }
      printer.add(row);
    }
  } finally {
    generator.close();
  }
  printer.note(
    'r/s: requests a second; us: CPU of all servers for one. Limited by: at the last setup that was limited, the',
  );
  printer.note(
    'client (its process had no time left) or the machine (no core had): then the ratio says less than it could.',
  );
  for (const [i, { name, isControl = false }] of setups.entries()) {
    if (i === 0) continue;
    const median = quantileOf(cpuRatios[i] ?? [], 0.5);
    const what = `CPU of a request: ${name} in ${setups[0]?.name}, median`;
    if (isControl) printer.note(`${what}: ${median.toFixed(2)}. These share nothing but the machine.`);
    else printer.goal(what, median, GOAL);
  }
  return printer.table;
}

/** Starts to measure all cores; the result gives the share of their time used since. */
function busyShare(): () => number {
  const before = coreTimes();
  return () => {
    const now = coreTimes();
    return 1 - (now.idle - before.idle) / (now.all - before.all);
  };
}

function coreTimes(): { idle: number; all: number } {
  const times = cpus().map(core => core.times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idle: times.reduce((sum, { idle }) => sum + idle, 0), all };
}
