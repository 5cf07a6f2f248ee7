import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from '../type.ts';
import { textForm } from '../validation.ts';
import { Components, type JsonSchema } from './components.ts';

const publish = (schema: unknown, components = new Components()) => ({
  schema: components.publish(schema as JsonSchema),
  schemas: components.schemas,
});

test('a schema with a title is written once and referred to', () => {
  const inner = Type.Object({ a: Type.String() }, { title: 'Inner' });
  const { schema, schemas } = publish(Type.Object({ x: inner, y: Type.Array(inner) }));
  assert.deepEqual(schema.properties, {
    x: { $ref: '#/components/schemas/Inner' },
    y: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
  });
  assert.deepEqual(Object.keys(schemas), ['Inner']);
});

test('a title belongs to one schema', () => {
  const components = new Components();
  const schema = () => Type.Object({ a: Type.String() }, { title: 'A' });
  publish(schema(), components);
  publish(schema(), components); // an equal one is the same
  assert.throws(() => publish(Type.Object({ b: Type.String() }, { title: 'A' }), components), /title A/);
});

test('an object is exact unless it says otherwise', () => {
  assert.equal(publish(Type.Object({ a: Type.String() })).schema.additionalProperties, false);
  const open = Type.Object({}, { additionalProperties: Type.Integer() });
  assert.deepEqual(publish(open).schema.additionalProperties, { type: 'integer' });
});

test('members of a union that a constant tells apart get a discriminator', () => {
  const member = (title: string, kind: string) =>
    Type.Object({ name: Type.String(), kind: Type.Literal(kind) }, { title });
  const { schema } = publish(Type.Union([member('A', 'a'), member('B', 'b')]));
  assert.deepEqual(schema, {
    oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }],
    discriminator: {
      propertyName: 'kind',
      mapping: { a: '#/components/schemas/A', b: '#/components/schemas/B' },
    },
  });
  const alike = publish(Type.Union([member('A', 'a'), member('B', 'a')])).schema;
  assert.deepEqual(Object.keys(alike), ['anyOf']);
});

test('a union of words is an enumeration', () => {
  const words = Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' });
  assert.deepEqual(publish(words).schema, { type: 'string', enum: ['asc', 'desc'], default: 'asc' });
});

test('of the form of a text, the pattern is published, and not the words of its errors', () => {
  assert.deepEqual(publish(Type.String({ ...textForm('^7$', 'a seven') })).schema, { type: 'string', pattern: '^7$' });
});
