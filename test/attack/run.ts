/**
 * `npm run attack [-- --short] [--seed S] [--only PART_OF_A_NAME] [--tries N] [--engine sqlite|postgres]`: starts a server on loopback, attacks it in every way that got through
 * once, and prints for each attack what was allowed and what was seen. Exit status: 1 if anything was above its bound.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { isWithin, SIZES } from './finding.ts';
import { attackAll, type Outcome } from './round.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
    tries: { type: 'string', default: '' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const rounded = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** One line for each attack: the worst of each figure, its bound in brackets. */
function print({ attack, findings, tries, seconds }: Outcome): void {
  const figures = findings.map(finding => {
    const { what, worst, bound, unit } = finding;
    if (!isWithin(finding)) process.exitCode = 1;
    return `${isWithin(finding) ? '' : 'ABOVE '}${what} ${rounded(worst)}${unit && ` ${unit}`} (${rounded(bound)})`;
  });
  console.log(`${attack}${tries > 1 ? `, try ${tries}` : ''}, ${seconds.toFixed(1)} s: ${figures.join('; ')}`);
}

// An exit ends the server too; a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
console.log(`seed ${values.seed}`);
const whole = values.short ? SIZES.short : SIZES.full;
const size = { ...whole, tries: Number(values.tries) || whole.tries };
if (!['sqlite', 'postgres'].includes(values.engine)) throw new Error('--engine is sqlite or postgres');
const postgres = values.engine === 'postgres' ? await startPostgres() : undefined;
if (postgres && 'missing' in postgres) throw new Error(postgres.missing);
try {
  const database = postgres?.url;
  await attackAll({ size, seed: Number(values.seed), only: values.only, database, onOutcome: print });
} finally {
  await postgres?.stop();
}
