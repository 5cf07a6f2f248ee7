import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FatalDatabaseError } from './errors.ts';
import { parseLocation } from './open.ts';

test('a data directory means the SQLite file in it, durable unless told otherwise', () => {
  assert.deepEqual(parseLocation({ data: 'here' }), {
    kind: 'sqlite',
    file: join('here', 'index.sqlite'),
    durability: 'full',
  });
  assert.equal((parseLocation({ data: 'here', durability: 'normal' }) as { durability: string }).durability, 'normal');
});

test('a database URL comes before the data directory, and may name a schema', () => {
  const url = 'postgres://user:secret@db.example:5432/stacks';
  assert.deepEqual(parseLocation({ data: 'here', database: url }), { kind: 'postgres', url });
  assert.deepEqual(parseLocation({ database: `${url}?schema=main&sslmode=require` }), {
    kind: 'postgres',
    url: `${url}?sslmode=require`,
    schema: 'main',
  });
});

test('a database URL may say that statements are not to be prepared', () => {
  const url = 'postgres://user:secret@pooler:6432/stacks';
  assert.deepEqual(parseLocation({ database: `${url}?prepare=false` }), { kind: 'postgres', url, prepare: false });
  assert.deepEqual(parseLocation({ database: `${url}?prepare=true` }), { kind: 'postgres', url });
});

test('what is no location is refused, without showing its password', () => {
  for (const given of [
    {},
    { data: '' },
    { database: 'mysql://user:secret@db/x' },
    { database: 'postgres://user:secret@db/x?prepare=no' },
    { database: '' },
  ]) {
    assert.throws(
      () => parseLocation(given),
      (error: unknown) =>
        error instanceof FatalDatabaseError && error.code === 'ACCESS' && !error.message.includes('secret'),
    );
  }
});
