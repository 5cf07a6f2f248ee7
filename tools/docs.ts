/** `npm run docs`: writes the pages of docs/ that are made from the code. Tests fail while one of them is out of date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from '../src/cli/configuration-page.ts';

writeFileSync(join(import.meta.dirname, '../docs/configuration.md'), configurationPage());
