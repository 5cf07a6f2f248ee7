import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../../test/support/fast-check.ts';
import { divideBody } from './pieces.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** Some bytes a piece: borders fall everywhere. */
const divided = (body: Uint8Array) => divideBody(body, 'events', true, 10);

/** The value of a body that was divided; undefined for one that was not, or whose pieces are not JSON. */
function joined(body: Uint8Array): object | undefined {
  const found = divided(body);
  if (!found) return undefined;
  try {
    const events = [...found.list.pieces()].flat();
    return { ...JSON.parse(Buffer.from(found.rest).toString()), events };
  } catch {
    return undefined;
  }
}

/** Names with escapes are not divided. */
const plainName = fc.string().filter(name => !JSON.stringify(name).includes('\\'));
const anyBody = fc
  .tuple(fc.dictionary(plainName, fc.jsonValue(), { maxKeys: 3 }), fc.array(fc.jsonValue(), { maxLength: 8 }))
  .map(([others, events]) => ({ ...others, '[a}': ['events', '"]\\'], events, last: { events: [1] } }));

test('the pieces of a list and the rest of the body hold what the whole body holds', () => {
  fc.assert(
    fc.property(anyBody, fc.constantFrom(0, 1), (body, indent) => {
      const text = bytes(JSON.stringify(body, null, indent));
      assert.deepEqual(joined(text), JSON.parse(Buffer.from(text).toString()));
    }),
  );
});

test('a body whose pieces and rest are JSON is JSON, and has the same value', () => {
  const shortened = fc.tuple(anyBody, fc.nat(), fc.constantFrom('', ',', ']', '[', '}', '{', '"', ':', '\\', '0'));
  fc.assert(
    fc.property(shortened, ([body, at, other]) => {
      const text = JSON.stringify(body);
      const place = at % text.length;
      const changed = bytes(`${text.slice(0, place)}${other}${text.slice(place + 1)}`);
      const value = joined(changed);
      if (value) assert.deepEqual(value, JSON.parse(Buffer.from(changed).toString()));
    }),
    { numRuns: 2_000 },
  );
});

for (const text of [
  '{"events":[],"events":[1]}',
  '{"events":[1],"\\u0065vents":[]}',
  '{"events":[1,2',
  '{"events":[1}',
  '{"events":{"events":[1]}}',
  '{"other":[1]}',
  '["events",[1]]',
  '',
])
  test(`a body is parsed as a whole where it is not certain which list counts: ${text}`, () => {
    assert.equal(divided(bytes(text)), undefined);
  });

test('a list with a comma too many is not JSON', () => {
  for (const list of ['[,]', '["aaaaaaaaaaaa",]', '["aaaaaaaaaaaa",,1]'])
    assert.throws(() => [...(divided(bytes(`{"events":${list}}`))?.list.pieces() ?? [])], SyntaxError, list);
});
