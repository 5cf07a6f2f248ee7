/** `npm run docs:configuration`: writes docs/configuration.md from the table of options. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from '../src/cli/options/configuration-page.ts';

writeFileSync(join(import.meta.dirname, '../docs/configuration.md'), configurationPage());
