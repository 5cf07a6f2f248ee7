import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as schema from 'typebox/value';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import fc, { anyText } from '../../../../test/support/fast-check.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { Names, txt, zoneFile } from '../../../../test/support/sample-names.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import { UNLIMITED } from '../../../../test/support/unlimited.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { namesOwnedBy } from '../../records/names/owned-names.ts';
import { NamesSchemaV1 } from '../../records/names/schema.ts';

const [ALICE, CAROL] = [2, 4];
const path = `/v1/addresses/stacks/${accountAddress(ALICE)}`;

onSqliteAtLeast((engine, openFresh) => {
  /** An index in which Alice has names and subdomains. */
  const open = async (t: Parameters<typeof openFresh>[0], count = 1) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const names = new Names(chain);
    const own = ['b', 'B', '_', 'é', '\uff5e', '\u{1f600}'].map(label => names.register(`${label}.sim`, ALICE));
    const many = Array.from({ length: count }, (_, i) => names.register(`n${i}.sim`, ALICE));
    const update = names.update('id.sim', CAROL);
    const block = chain.block({ txs: [...own, ...many, names.register('id.sim', CAROL), update] });
    const zone = Array.from({ length: count }, (_, i) => txt(`s${i}`, ALICE)).join('');
    await index.deliver(block.delivery, zoneFile(block, update, 'id.sim', zone));
    return { index, database, block };
  };

  test('names and subdomains come in the order of their UTF-16 code units, each once', async t => {
    const { index } = await open(t);
    const { body } = await index.get(path);
    const expected = ['B.sim', '_.sim', 'b.sim', 'n0.sim', 's0.id.sim', 'é.sim', '\u{1f600}.sim', '\uff5e.sim'];
    assert.deepEqual(body, { names: expected });
    assert.ok(schema.Check(NamesSchemaV1, body));
  });

  test('the response has the version of the tip', async t => {
    const { index, block } = await open(t);
    const { headers } = await index.get(path);
    // Names have the version of the newest attachments, too.
    assert.match(String(headers.etag), new RegExp(`^"${block.indexHash}\\+\\d+"$`));
    assert.equal(headers['cache-control'], 'public, no-cache, must-revalidate');
  });

  test('only `stacks` is a blockchain that is supported', async t => {
    const { index } = await open(t);
    for (const other of ['bitcoin', 'STACKS', 'foo', '%20stacks', 'stacks%20']) {
      const { status, body } = await index.get(`/v1/addresses/${other}/${accountAddress(ALICE)}`);
      const message = `params/blockchain must be one of stacks, not "${decodeURIComponent(other)}"`;
      assert.deepEqual([status, body.message], [400, message]);
    }
  });

  test('`unanchored` is checked and changes nothing; what is not known is ignored', async t => {
    const { index } = await open(t);
    const { body } = await index.get(path);
    for (const query of ['unanchored=true', 'unanchored=false', 'limit=x', 'offset=-1', 'unanchored[]=x']) {
      assert.deepEqual((await index.get(`${path}?${query}`)).body, body);
    }
    for (const query of [
      'unanchored=',
      'unanchored=1',
      'unanchored=TRUE',
      'unanchored',
      'unanchored=true&unanchored=true',
    ]) {
      const response = await index.get(`${path}?${query}`);
      assert.equal(response.status, 400);
      assert.match(response.body.message, /^querystring\/unanchored must be true or false, not ["[]/);
    }
  });

  test('an address that is unknown has no names', async t => {
    const { index } = await open(t);
    const address = accountAddress(ALICE);
    const others = [accountAddress(99), `${address}.contract`];
    for (const other of others) {
      const { status, body } = await index.get(`/v1/addresses/stacks/${other}`);
      assert.deepEqual([status, body], [200, { names: [] }]);
    }
  });

  test('what is no address, or one with a wrong checksum, is refused and named', async t => {
    const { index } = await open(t);
    const address = accountAddress(ALICE);
    const wrong = `${address.slice(0, -1)}${address.endsWith('0') ? '1' : '0'}`;
    for (const other of [wrong, `${address}.1`, 'x', '*', "'", 'A'.repeat(100)]) {
      const { status, body } = await index.get(`/v1/addresses/stacks/${other}`);
      assert.deepEqual(
        [status, body.message],
        [400, `params/address must be an address or the id of a contract, not "${other}"`],
      );
    }
  });

  test('a missing address is an unknown route; a trailing slash is not', async t => {
    const { index } = await open(t);
    assert.equal((await index.get('/v1/addresses/stacks/')).status, 404);
    assert.equal((await index.get('/v1/addresses/stacks')).status, 404);
    assert.equal((await index.get(`${path}/`)).status, 200);
  });

  test('NUL, broken escapes and endless segments are client errors', async t => {
    const { index } = await open(t);
    assert.equal((await index.get('/v1/addresses/stacks/a%00b')).status, 400);
    assert.equal((await index.get('/v1/addresses/%00/a')).status, 400);
    assert.equal((await index.get('/v1/addresses/stacks/%zz')).status, 400);
    assert.equal((await index.get(`/v1/addresses/stacks/${'A'.repeat(1025)}`)).status, 414);
  });

  test('no request is a server error, and every response is of the published shape', async t => {
    const { index } = await open(t);
    const segment = fc.oneof(anyText({ minLength: 1 }), fc.constantFrom('stacks', accountAddress(ALICE)));
    const value = fc.oneof(anyText(), fc.constantFrom('true', 'false', ''));
    const url = fc.tuple(segment, segment, value).map(([chain, address, flag]) => {
      const part = (text: string) => encodeURIComponent(text.toWellFormed());
      return `/v1/addresses/${part(chain)}/${part(address)}?unanchored=${part(flag)}`;
    });
    await fc.assert(
      fc.asyncProperty(url, async request => {
        const { status, body } = await index.get(request);
        assert.ok(status < 500, `${request}: ${status}`);
        assert.ok(status === 200 ? schema.Check(NamesSchemaV1, body) : typeof body.error === 'string');
      }),
      { numRuns: 300 },
    );
  });

  test('a response takes a handful of lookups by index, however many names there are', async t => {
    const { database } = await open(t, 300);
    const statements: [sql: string, params: readonly SqlValue[]][] = [];
    const found = await database.read(queries => {
      const note = (sql: string, params: readonly SqlValue[]) => statements.push([sql, params]);
      const counting: Queries = {
        all: (sql, params = []) => {
          note(sql, params);
          return queries.all(sql, params);
        },
        get: (sql, params = []) => {
          note(sql, params);
          return queries.get(sql, params);
        },
      };
      return namesOwnedBy(counting, accountAddress(ALICE), 'v1+v2', UNLIMITED);
    });
    assert.equal(found.length, 606);
    assert.ok(statements.length <= 6, `${statements.length} statements`);
    if (engine !== 'sqlite') return; // PostgreSQL scans small tables on purpose
    for (const [sql, params] of statements) {
      const plan = await database.read(queries => queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params));
      for (const { detail } of plan) assert.doesNotMatch(detail, /^SCAN/, sql);
    }
  });
});
