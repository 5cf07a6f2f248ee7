import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDenied } from '../../api/node-proxy/deny.ts';
import { DEFAULT_NODE_PROXY } from '../../api/node-proxy/settings.ts';
import { readOptions, UsageError } from './options.ts';

const read = (args: readonly string[], env: Record<string, string> = {}) =>
  readOptions(['serve', ...args], env).nodeProxySettings;

describe('options about the node', () => {
  test('without a node nothing is forwarded', () => {
    assert.equal(read([]), undefined);
    assert.equal(read(['--node-rpc', 'http://node:1', '--node-proxy', 'off']), undefined);
  });

  test('one option names the node for everything, another one a node to forward to', () => {
    assert.deepEqual(read(['--node-rpc', 'http://node:1']), { node: 'http://node:1', ...DEFAULT_NODE_PROXY });
    assert.equal(read(['--node-rpc', 'http://node:1', '--node-proxy', 'http://other'])?.node, 'http://other');
    assert.throws(() => read(['--node-proxy', 'node:1']), UsageError);
  });

  test('the variables that operators have name both', () => {
    assert.equal(read([], { STACKS_CORE_RPC_HOST: 'node' })?.node, 'http://node:20443');
    assert.equal(read([], { STACKS_CORE_RPC_HOST: 'node', STACKS_CORE_RPC_PORT: '9' })?.node, 'http://node:9');
    const env = { STACKS_CORE_RPC_HOST: 'node', STACKS_CORE_RPC_PORT: '9', STACKS_CORE_PROXY_HOST: 'proxy' };
    assert.equal(read([], env)?.node, 'http://proxy:9');
    assert.equal(read([], { ...env, STACKS_CORE_PROXY_PORT: '8' })?.node, 'http://proxy:8');
    assert.equal(read([], { STACKS_CORE_PROXY_PORT: '8' })?.node, 'http://127.0.0.1:8');
  });

  test('limits are as they are set', () => {
    const node = ['--node-rpc', 'http://node:1'];
    const settings = read([...node, '--node-proxy-timeout', '500', '--node-proxy-authorization', 'pass'], {
      STACKS_CORE_PROXY_BODY_LIMIT: '5000',
    });
    assert.deepEqual([settings?.timeoutMs, settings?.slowTimeoutMs], [500, 1000]);
    assert.equal(settings?.maxRequestBytes, 5000);
    assert.equal(settings?.passAuthorization, true);
  });

  test('a list of paths replaces the one of what is refused', () => {
    const { deny = [] } = read(['--node-rpc', 'http://n', '--node-proxy-deny', 'POST /v2/transactions, /v3/*/x']) ?? {};
    assert.ok(isDenied(deny, 'POST', '/v2/transactions'));
    assert.ok(isDenied(deny, 'GET', '/v3/a/b/x'));
    assert.ok(!isDenied(deny, 'GET', '/v2/transactions'));
    assert.ok(!isDenied(deny, 'POST', '/v3/block_proposal'));
    assert.throws(() => read(['--node-rpc', 'http://n', '--node-proxy-deny', 'v2/info']), UsageError);
  });
});
