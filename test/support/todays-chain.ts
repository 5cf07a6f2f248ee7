import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { AtTheEnd } from '../chains/simulation/todays-chain.ts';
import { archiveEvents } from './archive-events.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
/** A chain of epoch 4.0 that ran in the Clarity VM (test/chains/simulation), and what the VM held at its end. */
export const TODAYS_CHAIN = join(fixtures, 'todays-chain.tsv.gz');
export const TODAYS_END = join(fixtures, 'todays-chain.end.json');

export const todaysEvents = (): Delivery[] => archiveEvents(TODAYS_CHAIN);

export const todaysEnd = (): AtTheEnd => JSON.parse(readFileSync(TODAYS_END, 'utf8'));
