import { test } from 'node:test';
import { type OnEngines, onSqliteAtLeast } from '../support/engines.ts';
import fc from '../support/fast-check.ts';
import { casesOf, scale } from '../support/scale.ts';
import { Workbench } from './workbench.ts';

/** A rule that must hold for every chain. */
export interface Property {
  /** Of its file in test/properties. */
  readonly file: string;
  /** The rule, as a sentence. */
  readonly rule: string;
  /** Throws where what all cases of a long run did together is not enough. */
  readonly together?: ((bench: Workbench) => Promise<void>) | undefined;
  /** Tries cases. Throws with the smallest case that breaks the rule, and how to repeat it. */
  check(bench: Workbench, parameters: Parameters): Promise<void>;
}

export interface Parameters {
  readonly numRuns: number;
  readonly seed?: number;
  /** With the seed: only this case. */
  readonly path?: string;
  /** Milliseconds after which no new case starts. */
  readonly time?: number;
  /** False: the first case that fails is given as it is. */
  readonly shrink?: boolean;
}

export function defineProperty<T>({
  cases,
  hold,
  ...description
}: Pick<Property, 'together'> & {
  readonly file: string;
  readonly rule: string;
  /** A function for what has to be read first. */
  readonly cases: fc.Arbitrary<T> | (() => Promise<fc.Arbitrary<T>>);
  /** Throws when the rule does not hold for this case. */
  readonly hold: (bench: Workbench, value: T) => Promise<void>;
}): Property {
  return {
    ...description,
    check: async (bench, { numRuns, time, seed, path, shrink = true }) => {
      let latest = Promise.resolve();
      const property = fc.asyncProperty(typeof cases === 'function' ? await cases() : cases, value => {
        bench.statistics.cases++;
        latest = hold(bench, value);
        return latest;
      });
      const details = await fc.check(property, {
        numRuns,
        endOnFailure: !shrink,
        ...(seed !== undefined && { seed }),
        ...(path !== undefined && { path }),
        ...(time !== undefined && { interruptAfterTimeLimit: time }),
      });
      // A case that the time limit cut off still uses the bench. Whether it would have failed is not known.
      await latest.catch(() => undefined);
      // If a time limit cut off the first case, nothing has failed, though fast-check reports a failure.
      if (details.failed && details.counterexample !== null)
        throw new BrokenRule(description.file, bench.engine, details);
    },
  };
}

type Failed = Pick<fc.RunDetails<unknown>, 'counterexamplePath' | 'errorInstance' | 'seed' | 'counterexample'>;

/** The cases of some properties are larger at length. */
const RUN = scale === 'all' ? 'npm run test:all' : 'npm test';

/** A case that breaks a rule. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule';
  readonly file: string;
  readonly seed: number;
  readonly path: string;

  constructor(file: string, engine: string, details: Failed) {
    const path = details.counterexamplePath ?? '';
    const reason = details.errorInstance instanceof Error ? (details.errorInstance.stack ?? '') : '';
    super(
      `${reason}\n\nRepeat (${engine}): PROPERTY_SEED=${details.seed} PROPERTY_PATH=${path} ${RUN} -- properties/${file}\n` +
        `Case: ${JSON.stringify(details.counterexample)}`,
    );
    this.file = file;
    this.seed = details.seed;
    this.path = path;
  }
}

/** The same cases every time, so that a change is judged by itself; `npm run soak` tries new cases. */
const USUAL_SEED = 20_261_121;

/**
 * Declares the property as a test on the engines that `onEngines` gives: on SQLite at least, as properties are rules of code that does not know its engine.
 * PROPERTY_RUNS sets the number of cases, PROPERTY_SEED and PROPERTY_PATH
 * repeat one, PROPERTY_SHRINK=no spares the time to make it smaller.
 */
export function testProperty(property: Property, onEngines: OnEngines = onSqliteAtLeast): void {
  const { PROPERTY_SEED: seed, PROPERTY_PATH: path, PROPERTY_SHRINK: shrink } = process.env;
  onEngines((engine, openFresh) => {
    test(`${property.rule} (${engine})`, async t => {
      const bench = await Workbench.open(engine, openFresh);
      t.after(() => bench.close());
      await property.check(bench, {
        numRuns: path ? 1 : casesOf('PROPERTY_RUNS', engine),
        shrink: shrink !== 'no',
        seed: Number(seed ?? USUAL_SEED),
        ...(path && { path }),
      });
      t.diagnostic(JSON.stringify(bench.statistics));
      if (scale === 'all' && !path) await property.together?.(bench);
    });
  });
}
