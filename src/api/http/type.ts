/**
 * Builders of JSON schemas with the interface of TypeBox: the same types and the same JSON. TypeBox itself has 370 modules, a fifth of those that a
 * start of `serve` would load, so the program uses only its types.
 */
import type { TSchema, Type as TypeBox } from 'typebox';

type Options = Readonly<Record<string, unknown>>;

/** Copies of schemas that are optional members of an object. The mark is not part of their JSON. */
const optional = new WeakSet<TSchema>();

const builders = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Object(properties: Readonly<Record<string, TSchema>>, options?: Options) {
    const required = Object.keys(properties).filter(name => !optional.has(properties[name] as TSchema));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional(schema: TSchema) {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  /** With any text as key. */
  Record: (_key: TSchema, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Unsafe: (schema: Options) => ({ ...schema }),
};

/** TypeBox derives the type of a schema from the types of its parts; TypeScript cannot follow it through these functions. */
export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;
