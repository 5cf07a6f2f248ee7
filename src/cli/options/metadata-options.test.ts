import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_GATEWAYS } from '../../metadata/fetch/gateways.ts';
import { DEFAULT_JOB_LIMITS } from '../../metadata/jobs/job.ts';
import { DEFAULT_METADATA_LIMITS } from '../../metadata/limits.ts';
import { readOptions, UsageError } from './options.ts';

const read = (args: readonly string[], env: Record<string, string> = {}) =>
  readOptions(['serve', '--data', 'd', ...args], env).metadata;

describe('options about token metadata', () => {
  test('nothing is fetched without a node', () => {
    assert.equal(read([]).settings, undefined);
  });

  test('the node is named by an option, or by the environment that operators have', () => {
    assert.equal(read(['--node-rpc', 'http://node:1']).settings?.nodeRpc, 'http://node:1');
    assert.equal(read([], { STACKS_CORE_RPC_HOST: 'node' }).settings?.nodeRpc, 'http://node:20443');
    const env = { STACKS_CORE_RPC_HOST: 'node', STACKS_CORE_RPC_PORT: '99', STACKS_INDEX_NODE_RPC: 'http://other' };
    assert.equal(read([], env).settings?.nodeRpc, 'http://other');
  });

  test('what is not said is as documented', () => {
    const settings = read(['--node-rpc', 'http://node:1']).settings;
    assert.deepEqual(settings?.gateways, DEFAULT_GATEWAYS);
    assert.deepEqual(settings?.jobs, DEFAULT_JOB_LIMITS);
    assert.deepEqual(settings?.limits, DEFAULT_METADATA_LIMITS);
    assert.deepEqual(settings?.images, { kind: 'directory', directory: 'd/images' });
  });

  test('lists have commas, with or without blanks', () => {
    const settings = read([
      ...['--node-rpc', 'http://node:1', '--metadata-ipfs-gateways', 'https://a.example,https://b.example/x'],
      ...['--metadata-allow-hosts', 'a:1, b'],
    ]).settings;
    assert.deepEqual(settings?.gateways.ipfs, [{ url: 'https://a.example' }, { url: 'https://b.example/x' }]);
    assert.deepEqual(settings?.allowHosts, ['a:1', 'b']);
  });

  test('images go to a bucket with keys from the environment, and have a public address', () => {
    const args = [
      ...['--metadata-images-bucket', 'https://s3.example/pictures/tokens/', '--metadata-images-region', 'eu'],
      ...['--metadata-images-url', 'https://cdn.example/tokens'],
    ];
    const { images, imagesUrl } = read(args, {
      STACKS_INDEX_IMAGES_ACCESS_KEY: 'id',
      STACKS_INDEX_IMAGES_SECRET_KEY: 'secret',
    });
    assert.deepEqual(images, {
      kind: 'bucket',
      bucket: {
        endpoint: 'https://s3.example',
        bucket: 'pictures',
        prefix: 'tokens/',
        region: 'eu',
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      },
    });
    assert.equal(imagesUrl, 'https://cdn.example/tokens/');
    assert.throws(() => read(args), /STACKS_INDEX_IMAGES_ACCESS_KEY/);
    assert.deepEqual(read(['--metadata-images', 'off']).images, { kind: 'off' });
  });

  for (const args of [
    ['--node-rpc', 'node:20443'],
    ['--metadata-ipfs-gateways', 'ipfs.io'],
    ['--metadata-images', 'maybe'],
    ['--metadata-check-cids', '1'],
    ['--metadata-concurrency', '0'],
    ['--metadata-host-requests', '-1'],
    ['--metadata-images-bucket', 'https://s3.example/'],
  ])
    test(`${args.join(' ')} is refused`, () => {
      assert.throws(() => read(args), UsageError);
    });
});
