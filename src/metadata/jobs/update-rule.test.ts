import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Notified, updateRule } from './index-state.ts';

const said = (notified: number, mode: string, ttl: number | null = null): Notified => ({ mode, ttl, notified });
const nothing: Notified = { mode: null, ttl: null, notified: null };
const rule = (token: Notified, contract: Notified) => {
  const { mode, ttl } = updateRule(token, contract);
  return ttl === null ? mode : `${mode} ${ttl}`;
};

test('the later of what was said about a token and about all of them counts', () => {
  assert.equal(rule(nothing, nothing), 'standard');
  assert.equal(rule(said(1, 'dynamic', 60), nothing), 'dynamic 60');
  assert.equal(rule(nothing, said(1, 'dynamic', 90)), 'dynamic 90');
  assert.equal(rule(said(1, 'dynamic', 60), said(2, 'standard')), 'standard');
  assert.equal(rule(said(3, 'dynamic', 60), said(2, 'standard')), 'dynamic 60');
  assert.equal(rule(said(3, 'standard'), said(2, 'dynamic', 90)), 'standard');
  assert.equal(rule(said(3, 'dynamic'), nothing), 'dynamic');
});

test('what is frozen stays frozen', () => {
  assert.equal(rule(said(1, 'frozen'), said(2, 'dynamic', 60)), 'frozen');
  assert.equal(rule(said(3, 'dynamic', 60), said(2, 'frozen')), 'frozen');
});
