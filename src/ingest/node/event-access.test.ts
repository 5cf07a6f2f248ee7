import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { checkAccess } from './event-access.ts';

const SECRET = 'correct-horse-battery';

describe('who may post events', () => {
  it('without a secret everybody but a browser', () => {
    assert.deepEqual(checkAccess('/new_block', {}, undefined), { allowed: true, path: '/new_block' });
    assert.equal(checkAccess('/new_block', { origin: 'https://evil.example' }, undefined).allowed, false);
    assert.equal(checkAccess('/new_block', { origin: 'null' }, undefined).allowed, false);
    assert.equal(checkAccess('/new_block', { 'sec-fetch-site': 'cross-site' }, undefined).allowed, false);
  });

  it('with a secret, who shows it in the path or as a bearer token; the path is then read without it', () => {
    assert.deepEqual(checkAccess(`/${SECRET}/new_block`, {}, SECRET), { allowed: true, path: '/new_block' });
    assert.deepEqual(checkAccess(`/${SECRET}/attachments/new`, {}, SECRET), {
      allowed: true,
      path: '/attachments/new',
    });
    assert.deepEqual(checkAccess('/new_block', { authorization: `Bearer ${SECRET}` }, SECRET), {
      allowed: true,
      path: '/new_block',
    });
    assert.deepEqual(checkAccess(`/${SECRET}`, {}, SECRET), { allowed: true, path: '/' });
  });

  it('a browser is refused even if it knows the secret', () => {
    assert.equal(checkAccess(`/${SECRET}/new_block`, { origin: 'https://evil.example' }, SECRET).allowed, false);
  });

  it('nothing but the secret itself opens', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, token) => {
        fc.pre(path.split('/')[0] !== SECRET && token !== SECRET);
        assert.equal(checkAccess(`/${path}`, { authorization: `Bearer ${token}` }, SECRET).allowed, false);
      }),
    );
    for (const near of ['', '/', `/${SECRET}x/new_block`, `//${SECRET}/new_block`, `/new_block/${SECRET}`])
      assert.equal(checkAccess(near, { authorization: `Basic ${SECRET}` }, SECRET).allowed, false);
  });

  it('a refusal does not say the secret', () => {
    assert.doesNotMatch(JSON.stringify(checkAccess('/x', {}, SECRET)), new RegExp(SECRET));
  });
});
