/** `npm run docs:clients`: writes docs/clients.md, by making every call of every client. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientsPage } from '../test/clients/page.ts';
import { runSuite } from '../test/clients/suite.ts';

const cleanups: (() => unknown)[] = [];
const outcomes = await runSuite({ after: cleanup => void cleanups.push(cleanup as () => unknown) }, 'all');
writeFileSync(join(import.meta.dirname, '../docs/clients.md'), clientsPage(outcomes));
for (const cleanup of cleanups.toReversed()) await cleanup();
for (const { call, result, why } of outcomes)
  if (result === 'wrong') console.error(`wrong: ${call.client} ${call.method}: ${why}`);
