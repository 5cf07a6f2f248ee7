/**
 * `node bench/ingest-run.ts PART... --data DIR | --database URL --json FILE`: builds an index from the parts of an archive as `stacks-index replay` does, and
 * writes the cost of each part. It is a separate process, so that its memory is that of the ingest alone.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { replay } from '../src/cli/commands/replay.ts';
import { readOptions } from '../src/cli/options/options.ts';

/** The cost of replaying a part. */
export interface PartUse {
  readonly seconds: number;
  /** CPU of this process, without that of a database server. */
  readonly cpuSeconds: number;
}

export interface IngestUse {
  readonly parts: readonly PartUse[];
  readonly maxResidentBytes: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    database: { type: 'string' },
    'chain-id': { type: 'string', default: '0x80000000' },
    json: { type: 'string' },
  },
});
const place = values.database === undefined ? ['--data', values.data ?? ''] : ['--database', values.database];

const parts: PartUse[] = [];
for (const part of positionals) {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const options = readOptions(['replay', part, ...place, '--chain-id', values['chain-id']], {});
  const code = await replay(options, pino({ level: 'warn' }), new AbortController().signal);
  if (code !== 0) throw new Error(`replay ended with ${code}`);
  const used = process.cpuUsage(cpu);
  parts.push({ seconds: (performance.now() - started) / 1000, cpuSeconds: (used.user + used.system) / 1e6 });
}
const use: IngestUse = { parts, maxResidentBytes: process.resourceUsage().maxRSS * 1024 };
writeFileSync(values.json ?? '/dev/stdout', JSON.stringify(use));
process.exit();
