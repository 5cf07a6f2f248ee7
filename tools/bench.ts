/**
 * `npm run bench`: a short round of all benchmarks. `npm run bench -- ingest ARCHIVE` measures one archive, such as those of
 * 100,000 transactions that the chain simulator writes. Figures mean little while the machine does other work.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BENCHMARKS = ['decode', 'ingest', 'read', 'metadata'];
const [only, ...args] = process.argv.slice(2);
if (only !== undefined && !BENCHMARKS.includes(only)) {
  console.error(`There is no benchmark ${only}; there are ${BENCHMARKS.join(', ')}.`);
  process.exit(2);
}
for (const name of BENCHMARKS.filter(benchmark => (only ?? benchmark) === benchmark)) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, '../bench', `${name}.ts`), ...args], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
