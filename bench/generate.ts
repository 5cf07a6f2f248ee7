/**
 * `npm run bench -- generate --profile nakamoto --blocks 100000 --out chain.tsv [--seed TEXT]`: writes the archive of a simulated chain
 * (chain id 0x80000000), compressed as the name says. The same options give the same bytes. `--out -` writes to standard output, for
 * `node bench/generate.ts --blocks 5000000 --out - | stacks-index replay - --data DIR`.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { archiveLines, writeArchive } from '../src/ingest/node/archive/write.ts';
import { simulatedChain } from './simulated/chain.ts';
import { PROFILES } from './simulated/profiles.ts';

const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'nakamoto' },
    blocks: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const { out, seed } = values;
const blocks = Number(values.blocks);
const profile = Object.entries(PROFILES).find(([name]) => name === values.profile)?.[1];
if (!profile) throw new Error(`there is no profile ${values.profile}; there is ${Object.keys(PROFILES).join(', ')}`);
if (out === undefined || !Number.isSafeInteger(blocks) || blocks < 1)
  throw new Error('generate needs --out FILE, and a number of --blocks above 0');
const chain = simulatedChain({ profile, blocks, seed });
if (out === '-')
  await pipeline(Readable.from(archiveLines(chain)), process.stdout).catch((error: NodeJS.ErrnoException) => {
    // EPIPE: the reader has read enough.
    if (error.code !== 'EPIPE') throw error;
  });
else console.log(`${out}: ${blocks} blocks, ${await writeArchive(out, chain)} events`);
