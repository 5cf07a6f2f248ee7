/**
 * `npm run attack [-- --short] [--seed S] [--only PART_OF_A_NAME] [--engine sqlite|postgres]`: starts a server on loopback, attacks it in every way that got through
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
    engine: { type: 'string', default: 'sqlite' },
  },
});
const cells = (...[attack = '', what = '', bound = '', worst = '']: string[]): string =>
  `${attack.padEnd(50)} ${what.padEnd(44)} ${bound.padStart(10)} ${worst.padStart(12)}`;
const rounded = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1));

function print({ attack, findings, tries }: Outcome): void {
  for (const [i, finding] of findings.entries()) {
    const { what, worst, bound, unit } = finding;
    const name = i === 0 ? `${attack}${tries > 1 ? ` (try ${tries})` : ''}` : '';
    if (!isWithin(finding)) process.exitCode = 1;
    const mark = isWithin(finding) ? '' : '  ABOVE';
    console.log(`${cells(name, what, `${rounded(bound)} ${unit}`, `${rounded(worst)} ${unit}`)}${mark}`);
  }
}

// An exit ends the server too; a signal would leave it running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
console.log(`seed ${values.seed}`);
console.log(cells('attack', 'measured', 'bound', 'worst'));
const size = values.short ? SIZES.short : SIZES.full;
if (!['sqlite', 'postgres'].includes(values.engine)) throw new Error('--engine is sqlite or postgres');
const postgres = values.engine === 'postgres' ? await startPostgres() : undefined;
if (postgres && 'missing' in postgres) throw new Error(postgres.missing);
try {
  const database = postgres?.url;
  await attackAll({ size, seed: Number(values.seed), only: values.only, database, onOutcome: print });
} finally {
  await postgres?.stop();
}
