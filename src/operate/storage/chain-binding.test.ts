import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { SCHEMA_VERSION } from './chain-binding.ts';

/** Of the newest schema version: what its tables and lists were. */
const FINGERPRINT = { version: 22, hash: '066adf3159988a95' };

function fingerprint(): string {
  const tables = INDEX_SCHEMA.tables.map(({ name, columns, key, indexes = [], readIndexes = [] }) => ({
    ...{ name, columns, key },
    indexes: [...indexes, ...readIndexes].map(names => names.join()).toSorted(),
  }));
  const lists = INDEX_SCHEMA.lists.map(({ code, chain, entries, named }) => ({
    code,
    chain,
    entries: entries.name,
    named,
  }));
  const byName = tables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const byCode = lists.toSorted((a, b) => a.code - b.code);
  return createHash('sha256')
    .update(JSON.stringify([byName, byCode]))
    .digest('hex')
    .slice(0, 16);
}

test('tables and lists are those of the schema version: when they change, it grows, and this fingerprint is written anew', () => {
  assert.deepEqual({ version: SCHEMA_VERSION, hash: fingerprint() }, FINGERPRINT);
});
