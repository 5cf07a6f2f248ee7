import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_METADATA_LIMITS } from '../limits.ts';
import { retryAfter } from './web-client.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

const CASES: readonly (readonly [header: string | undefined, seconds: number | undefined])[] = [
  ['7', 7],
  [' 7 ', 7],
  ['3600', 3600],
  ['999999999', 3600],
  ['9'.repeat(400), 3600],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30],
  ['Thu, 01 Jan 2026 13:00:00 GMT', 3600],
  ['Fri, 01 Jan 2027 12:00:00 GMT', 3600],
  ['Thu, 01 Jan 2026 11:00:00 GMT', undefined],
  ['abc', undefined],
  ['', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['2027', 2027],
  ['2027-01-01', undefined],
  [undefined, undefined],
];
for (const [header, seconds] of CASES)
  test(`Retry-After ${header?.slice(0, 40)}: ${seconds ?? 'ignored'}`, () => {
    const ms = retryAfter(header, NOW, DEFAULT_METADATA_LIMITS);
    assert.equal(ms === undefined ? undefined : ms / 1000, seconds);
  });
