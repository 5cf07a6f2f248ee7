/** Tries every property and kills the program on one engine, with ever new seeds, until its time is over. Started by soak.ts. */
import type { Property } from '../test/chains/property.ts';
import { noStatistics, Workbench } from '../test/chains/workbench.ts';
import { crashRun } from '../test/crash/crash-run.ts';
import { PROPERTIES } from '../test/properties/all.ts';
import { openFreshOf } from '../test/support/engines.ts';
import type { SoakMessage, SoakOrder } from './soak-messages.ts';

const CASES_PER_SEED = 5;
const KILLS_PER_SEED = 4;
/** How often, in rounds of all properties, the program is killed: kills take long, as the program has to start again. */
const ROUNDS_PER_CRASH_RUN = 4;
/** Milliseconds for a seed: a case that fails is made smaller for as long, no longer. */
const TIME_PER_SEED = 40_000;

const { engine, seed: firstSeed, minutes, database, only } = JSON.parse(process.argv[2] ?? '') as SoakOrder;
const properties = PROPERTIES.filter(({ file }) => only === undefined || file === only);
const end = Date.now() + minutes * 60_000;
const statistics = noStatistics();
let bench: Workbench | undefined;
let seeds = 0;
let kills = 0;
let failures = 0;

const tell = (message: SoakMessage): void => {
  process.send?.(message);
};
const tellProgress = (): void =>
  tell({ kind: 'progress', progress: { engine, ...statistics, seeds, kills, failures } });
const isOver = (): boolean => Date.now() >= end;

for (let round = 0; !isOver(); round++) {
  for (const property of properties) {
    if (!isOver()) await attempt(property.file, seed => tryProperty(property, seed));
  }
  if (only === undefined && round % ROUNDS_PER_CRASH_RUN === 0 && !isOver()) await attempt('crash', killTheProgram);
}
await closeBench();
process.disconnect?.();

async function attempt(what: string, work: (seed: number) => Promise<void>): Promise<void> {
  const seed = firstSeed + seeds++;
  try {
    await work(seed);
  } catch (error) {
    failures++;
    const message = error instanceof Error ? error.message : String(error);
    tell({ kind: 'failure', failure: { engine, what, message } });
  }
  tellProgress();
}

/** After a failure with a new database, so that what one case breaks cannot break the next. */
async function tryProperty(property: Property, seed: number): Promise<void> {
  bench ??= await Workbench.open(engine, openFreshOf[engine], statistics);
  try {
    await property.check(bench, { numRuns: CASES_PER_SEED, seed, time: TIME_PER_SEED });
  } catch (error) {
    await closeBench();
    throw error;
  }
}

async function closeBench(): Promise<void> {
  const open = bench;
  bench = undefined;
  await open?.close();
}

async function killTheProgram(seed: number): Promise<void> {
  const mode = seed % 2 === 0 ? 'deliver' : 'replay';
  const done = await crashRun({ engine, mode, seed, kills: KILLS_PER_SEED, ...(database && { database }) });
  kills += done.kills;
}
