import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Tip } from '../../ingest/chain/tip.ts';
import { createServer } from '../http/server.ts';
import type { IndexStatus, LoadStatus } from '../http/status.ts';
import { addStatusRoutes } from './extended.ts';

const TIP: Tip = {
  height: 156,
  indexBlockHash: '0x1b',
  blockHash: '0xb1',
  burnBlockHeight: 260,
  microblockHash: null,
  microblockSequence: null,
};
const WHOLE: IndexStatus = {
  journalPosition: 500,
  indexedPosition: 500,
  gaps: [],
  setAside: { count: 0, newest: null },
  burnHeight: 0,
  poxUnlockHeights: [102, 103, null],
};
let tip: Tip | undefined;
let status: () => IndexStatus;
beforeEach(() => {
  tip = TIP;
  status = () => WHOLE;
});

const source = { current: () => tip };
const api = createServer({ version: '0.1.0', tip: source });
after(() => api.close());
addStatusRoutes(api, '0.1.0', source, { current: () => status() });

const get = (url: string, headers = {}) => api.inject({ url, headers });

test('the status names version, unlock heights, tip, lag, gaps and what is set aside', async () => {
  const response = await get('/extended');
  assert.equal(
    response.body,
    '{"server_version":"stacks-index v0.1.0","status":"ready","pox_v1_unlock_height":102,"pox_v2_unlock_height":103,"pox_v3_unlock_height":null,' +
      '"chain_tip":{"block_height":156,"block_hash":"0xb1","index_block_hash":"0x1b","burn_block_height":260},"lag":0,"gaps":[],"set_aside":{"count":0,"newest":null}}',
  );
  assert.equal(response.headers.etag, '"0x1b-260"');
  assert.equal((await get('/extended/')).body, response.body);
  assert.equal((await get('/extended', { 'if-none-match': '"0x1b-260"' })).statusCode, 304);
});

test('the burn height is that of the newest burn block, also before a Stacks block names it', async () => {
  const before = (await get('/extended')).headers.etag;
  status = () => ({ ...WHOLE, burnHeight: 262 });
  const response = await get('/extended', { 'if-none-match': String(before) });
  assert.equal(response.statusCode, 200);
  assert.equal(response.json().chain_tip.burn_block_height, 262);
});

test('blocks that were rebuilt are counted, with what is not known of them, and change the ETag', async () => {
  const newest = { position: 9, height: 150, indexBlockHash: '0x1a', class: 'B', unknown: ['vm_error'] };
  status = () => ({ ...WHOLE, rebuilt: { count: 2, newest, unknown: ['vm_error'] } });
  const response = await get('/extended', { 'if-none-match': '"0x1b-260"' });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json().rebuilt, {
    count: 2,
    newest: { height: 150, index_block_hash: '0x1a', class: 'B' },
    unknown_fields: ['vm_error'],
  });
  status = () => ({ ...WHOLE, rebuilt: { count: 0, newest: null, unknown: [] } });
  assert.equal((await get('/extended', { 'if-none-match': '"0x1b-260"' })).statusCode, 304);
});

test('a microblock on top of the tip is named', async () => {
  tip = { ...TIP, microblockHash: '0xmb', microblockSequence: 0 };
  const { chain_tip } = (await get('/extended')).json();
  assert.equal(chain_tip.microblock_hash, '0xmb');
  assert.equal(chain_tip.microblock_sequence, 0);
});

test('an empty chain has no tip and no ETag', async () => {
  tip = undefined;
  const response = await get('/extended');
  assert.equal('chain_tip' in response.json(), false);
  assert.equal(response.headers.etag, undefined);
});

test('lag and gaps are shown, and change the ETag while the tip stays', async () => {
  status = () => ({ ...WHOLE, indexedPosition: 490, gaps: [{ height: 158, missingParent: '0xfe' }] });
  const response = await get('/extended', { 'if-none-match': '"0x1b-260"' });
  assert.equal(response.statusCode, 200);
  assert.equal(response.json().lag, 10);
  assert.deepEqual(response.json().gaps, [{ height: 158, missing_parent: '0xfe' }]);
  assert.equal((await get('/extended', { 'if-none-match': String(response.headers.etag) })).statusCode, 304);
});

test('while an archive is loaded the status has its progress, which changes the ETag; before and after there is no such member', async () => {
  const load: LoadStatus = {
    ...{ state: 'loading', source: '/archive.zst', progress: 0.25, estimatedEnd: 1_800_000_000_000, reason: null },
    ...{ waitingEvents: 7, waitingBytes: 900 },
  };
  status = () => ({ ...WHOLE, load });
  const response = await get('/extended', { 'if-none-match': '"0x1b-260"' });
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json().archive_load, {
    ...{ state: 'loading', source: '/archive.zst', block_height: 156, progress: 0.25 },
    ...{ estimated_end: '2027-01-15T08:00:00.000Z', waiting_events: 7, waiting_bytes: 900, reason: null },
  });
  const etag = String(response.headers.etag);
  assert.equal((await get('/extended', { 'if-none-match': etag })).statusCode, 304);
  status = () => ({ ...WHOLE, load: { ...load, progress: 0.26 } });
  assert.equal((await get('/extended', { 'if-none-match': etag })).statusCode, 200);
  status = () => WHOLE;
  assert.equal('archive_load' in (await get('/extended')).json(), false);
});

test('a database error is swallowed: version and status only', async () => {
  status = () => {
    throw new Error('gone');
  };
  const response = await get('/extended');
  assert.equal(response.statusCode, 200);
  assert.equal(response.body, '{"server_version":"stacks-index v0.1.0","status":"ready"}');
  assert.equal(response.headers['cache-control'], 'no-store');
});

test('the old paths redirect, without a body and not cached', async () => {
  for (const path of ['/', '/extended/v1/status', '/extended/v1/status/']) {
    const response = await get(path);
    assert.equal(response.statusCode, 301);
    assert.equal(response.headers.location, '/extended');
    assert.equal(response.body, '');
    assert.equal(response.headers['content-type'], undefined);
    assert.equal(response.headers['cache-control'], 'no-store');
  }
});
