import type { JsonSchema } from './components.ts';

/** Texts for patterns without an example of their own; the first that fits is taken. */
const TEXTS = ['text', '0', '0x', `0x${'9a1b3c5d'.repeat(8)}`, `0x02${'9a1b3c5d'.repeat(8)}`];

/**
 * A value that the schema allows: its own example where it has one, else one put together from those of its parts.
 * Optional members are left out; of a union the first member counts. A pattern that no text here fits
 * needs an example of its own.
 */
export function exampleOf(schema: JsonSchema): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const union = schema.oneOf ?? schema.anyOf;
  if (union?.[0] !== undefined) return exampleOf(union[0]);
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return false;
    case 'string':
      return textOf(schema);
    default:
      return null;
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property)]));
}

function textOf({ pattern }: JsonSchema): string {
  const isFit = (text: string) => pattern === undefined || new RegExp(pattern, 'u').test(text);
  return TEXTS.find(isFit) ?? '';
}
