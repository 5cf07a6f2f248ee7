/** `npm run docs:package`: writes the version and the repository of package.json into the pages and files that repeat them. */
import { join } from 'node:path';
import { readManifest } from './release/manifest.ts';
import { writeMentions } from './release/mentions.ts';

const root = join(import.meta.dirname, '..');
const changed = writeMentions(root, readManifest(root));
console.log(changed.length === 0 ? 'every place has it' : changed.join('\n'));
