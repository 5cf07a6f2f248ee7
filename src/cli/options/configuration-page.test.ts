import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { configurationPage } from './configuration-page.ts';
import { variablesOf } from './option-spec.ts';
import { ALL_OPTIONS } from './option-table.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');

test('docs/configuration.md is what the options say; if not: npm run docs:configuration', () => {
  assert.equal(page, configurationPage());
});

test('docs/configuration.md names every option and every environment variable', () => {
  for (const [flag, spec] of ALL_OPTIONS) {
    if (spec.value === undefined || !spec.environmentOnly) assert.match(page, new RegExp(`\`--${flag}[ \`]`));
    for (const name of variablesOf(spec)) assert.ok(page.includes(`\`${name}\``), name);
  }
});
