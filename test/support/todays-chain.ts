import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '../../src/journal/journal.ts';
import { readArchive } from '../../src/node/archive/read.ts';
import type { AtTheEnd } from '../chains/simulation/todays-chain.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
/** A chain of epoch 4.0 that ran in the Clarity VM (test/chains/simulation), and what the VM held at its end. */
export const TODAYS_CHAIN = join(fixtures, 'todays-chain.tsv.gz');
export const TODAYS_END = join(fixtures, 'todays-chain.end.json');

export async function todaysEvents(): Promise<Delivery[]> {
  const events: Delivery[] = [];
  for await (const row of readArchive(TODAYS_CHAIN)) {
    if (row.kind !== 'event') throw new Error(row.reason);
    events.push({ path: row.path, receivedAt: row.receivedAt, body: row.body });
  }
  return events;
}

export const todaysEnd = (): AtTheEnd => JSON.parse(readFileSync(TODAYS_END, 'utf8'));
