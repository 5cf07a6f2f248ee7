import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import { SpillingMap } from './spilling-map.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const step = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), key, value: fc.stringMatching(/^[a-z]{0,3}$/) }),
  fc.record({ kind: fc.constant('delete' as const), key }),
  fc.record({ kind: fc.constant('get' as const), key }),
  fc.record({ kind: fc.constant('take' as const), key }),
);

test('a map that spills after any number of entries is like a map in memory', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), async (steps, limit) => {
      const spilling = new SpillingMap(limit);
      const plain = new Map<string, string>();
      try {
        for (const { kind, key: name, ...rest } of steps) {
          const before = plain.get(name);
          if ('value' in rest) {
            plain.set(name, rest.value);
            await spilling.set(name, rest.value);
          } else if (kind === 'delete') {
            plain.delete(name);
            await spilling.delete(name);
          } else if (kind === 'take') {
            plain.delete(name);
            assert.equal(await spilling.take(name), before);
          } else assert.equal(await spilling.get(name), before);
        }
        const entries: [string, string][] = [];
        for await (const entry of spilling.entries()) entries.push(entry);
        assert.deepEqual(entries.sort(), [...plain].sort());
      } finally {
        await spilling.close();
      }
    }),
    { numRuns: 60 },
  );
});
