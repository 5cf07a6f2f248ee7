import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOptions, UsageError } from './options.ts';

const DATABASE = ['--database', 'postgres://u:secret@primary/stacks?schema=main'];
const read = (args: readonly string[], env: Record<string, string> = {}) => readOptions(['serve', ...args], env);

describe('options about what a process of serve does', () => {
  test('without any, one process does all', () => {
    const { mode, workers, readDatabases } = read([]);
    assert.deepEqual({ mode, workers, readDatabases }, { mode: 'default', workers: 1, readDatabases: [] });
  });

  test('the mode is named by an option, or by the variable that operators have', () => {
    assert.equal(read(['--mode', 'writeonly']).mode, 'writeonly');
    assert.equal(read([], { STACKS_API_MODE: 'readonly' }).mode, 'readonly');
    assert.throws(() => read(['--mode', 'reader']), UsageError);
  });

  test('replicas are read in the schema of the database that is written, unless they name another one', () => {
    const urls = 'postgres://u:secret@a/stacks,postgres://u:secret@b/stacks?schema=other';
    assert.deepEqual(read([...DATABASE, '--read-database', urls]).readDatabases, [
      'postgres://u:secret@a/stacks?schema=main',
      'postgres://u:secret@b/stacks?schema=other',
    ]);
  });

  test('a replica that is no URL is refused without showing its password', () => {
    for (const url of ['mysql://u:secret@a/x', 'u:secret@a'])
      assert.throws(
        () => read([...DATABASE, '--read-database', url]),
        error => error instanceof UsageError && !error.message.includes('secret'),
      );
  });

  test('replicas without the database that is written are refused', () => {
    assert.throws(() => read(['--read-database', 'postgres://a/x']), UsageError);
  });

  test('the proxies that are trusted are networks in CIDR notation or addresses; without any, none is trusted', () => {
    assert.equal(read([]).trustProxy, undefined);
    const networks = [
      { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
      { address: '::1', prefix: 128, family: 'ipv6' },
    ];
    assert.deepEqual(read(['--trust-proxy', '10.0.0.0/8, ::1']).trustProxy, networks);
    assert.deepEqual(read([], { STACKS_INDEX_TRUST_PROXY: '10.0.0.0/8,::1' }).trustProxy, networks);
    for (const wrong of ['', 'proxy.example', '10.0.0.0/33', 'true'])
      assert.throws(() => read(['--trust-proxy', wrong]), UsageError, wrong);
  });

  test('deprecated routes are served unless the option, or the variable that operators have, says otherwise', () => {
    const isServed = (args: readonly string[], env = {}) => read(args, env).deprecatedRoutes;
    assert.deepEqual([isServed([]), isServed(['--deprecated-routes', 'off'])], [true, false]);
    const variable = (value: string) => isServed([], { ENABLE_DEPRECATED_ENDPOINTS: value });
    assert.deepEqual([variable('false'), variable('true')], [false, true]);
    assert.throws(() => variable('no'), UsageError);
  });

  test('the share of one address is a percentage of at least 1', () => {
    assert.equal(read([]).maxShare, 25);
    assert.equal(read(['--max-share', '100']).maxShare, 100);
    for (const wrong of ['0', '101', '0.5', '25%'])
      assert.throws(() => read(['--max-share', wrong]), UsageError, wrong);
  });

  test('reward cycles are three numbers that make sense, or those of the network', () => {
    assert.equal(read([]).poxCycles, undefined);
    assert.deepEqual(read(['--pox-cycles', '0:20:4']).poxCycles, { first: 0, length: 20, prepare: 4 });
    for (const wrong of ['0:20', '0:20:20', '0:20:0', '-1:20:4', '0:20:4:1', '0:1e3:4', ''])
      assert.throws(() => read([`--pox-cycles=${wrong}`]), UsageError, wrong);
  });

  test('an empty variable is an unset one', () => {
    const { mode, database, metadata } = read([], {
      STACKS_API_MODE: '',
      STACKS_INDEX_DATABASE: '',
      STACKS_INDEX_NODE_RPC: '',
    });
    assert.equal(mode, 'default');
    assert.equal(database, undefined);
    assert.equal(metadata.settings, undefined);
  });
});
