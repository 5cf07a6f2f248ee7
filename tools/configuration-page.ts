/** Writes docs/configuration.md from the table of options: `npm run docs:configuration` */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from '../src/cli/options/configuration-page.ts';

writeFileSync(join(import.meta.dirname, '../docs/configuration.md'), configurationPage());
