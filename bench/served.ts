import { pino } from 'pino';
import { type Running, servingOptions, startServing } from '../src/cli/commands/serve.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { directoryPlace, freshPlace, type Place } from './place.ts';
import { replayInto } from './program.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { questionsOf } from './scenarios.ts';

/** An index that is served in this process. */
export interface Served {
  readonly place: Place;
  readonly running: Running;
  readonly pages: readonly Scenario[];
  readonly transactions: number;
}

/** Serves the index in a directory, if one is given; otherwise loads an archive into a new place and serves that. @param data of `--data` */
export const serveThere = async (data: string | undefined, archive: string): Promise<Served> =>
  data === undefined ? serveArchive(await freshPlace(undefined), archive) : servePlace(directoryPlace(data));

/** Loads an archive into an empty place and serves it. @param loaded called between loading and serving */
export async function serveArchive(place: Place, archive: string, loaded?: () => Promise<void>): Promise<Served> {
  await replayInto(place.args, archive);
  await place.fillMetadata();
  await loaded?.();
  return servePlace(place);
}

/** Serves the index of a place. */
export async function servePlace(place: Place): Promise<Served> {
  const options = ['--mode', 'readonly', '--port', '0', '--log-level', 'warn'];
  const running = await startServing(
    servingOptions(readOptions(['serve', ...place.args, ...options], {})),
    pino({ level: 'warn' }),
  );
  return { place, running, ...(await questionsOf(place)) };
}
