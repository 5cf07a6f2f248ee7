import type { JsonSchema } from '../../src/api/http/openapi/components.ts';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';

/** Which parts of the schemas of responses have been seen filled: each property, each member of a union, and each of a set of words. */
export class SchemaCoverage {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #seen = new Set<string>();
  readonly #patterns = new Map<string, RegExp>();

  constructor(document: OpenApiDocument) {
    this.#components = document.components?.schemas ?? {};
  }

  /** Notes what a value fills; whether any of it was not filled before. @param place what its parts are named by, unless it has a component */
  add(schema: JsonSchema, value: unknown, place = ''): boolean {
    const before = this.#seen.size;
    this.#walk(schema, value, place);
    return this.#seen.size > before;
  }

  /** The parts of a schema that nothing has filled. */
  missing(schema: JsonSchema, place = ''): string[] {
    return [...this.#partsOf(schema, place, new Set())]
      .filter(part => /[.|[]/.test(part) && !this.#seen.has(part))
      .sort();
  }

  #walk(given: JsonSchema, value: unknown, place: string): void {
    const { schema, name } = this.#resolve(given, place);
    const union = schema.oneOf ?? schema.anyOf;
    if (union) {
      const i = union.findIndex(member => this.#fits(member, value));
      this.#seen.add(`${name}|${i}`);
      if (union[i]) this.#walk(union[i], value, `${name}|${i}`);
    } else if (schema.enum) {
      this.#seen.add(`${name}=${value}`);
    } else if (Array.isArray(value)) {
      if (value.length > 0) this.#seen.add(`${name}[]`);
      for (const item of value) if (schema.items) this.#walk(schema.items, item, `${name}[]`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        const property = schema.properties?.[key];
        if (!property) continue;
        this.#seen.add(`${name}.${key}`);
        this.#walk(property, member, `${name}.${key}`);
      }
    }
  }

  #partsOf(given: JsonSchema, place: string, visited: Set<string>): Set<string> {
    const { schema, name } = this.#resolve(given, place);
    if (visited.has(name) && name !== place) return visited;
    visited.add(name);
    const parts = (part: string, child: JsonSchema): void => {
      visited.add(part);
      this.#partsOf(child, part, visited);
    };
    for (const word of schema.enum ?? []) visited.add(`${name}=${word}`);
    for (const [i, member] of (schema.oneOf ?? schema.anyOf ?? []).entries()) parts(`${name}|${i}`, member);
    if (schema.items) parts(`${name}[]`, schema.items);
    for (const [key, property] of Object.entries(schema.properties ?? {})) parts(`${name}.${key}`, property);
    return visited;
  }

  /** A component has its own name wherever it is. */
  #resolve(schema: JsonSchema, place: string): { readonly schema: JsonSchema; readonly name: string } {
    const component = schema.$ref?.split('/').at(-1);
    const found = component === undefined ? undefined : this.#components[component];
    if (found === undefined) return { schema, name: place };
    return { schema: found, name: component ?? place };
  }

  #pattern(source: string): RegExp {
    const known = this.#patterns.get(source) ?? new RegExp(source);
    this.#patterns.set(source, known);
    return known;
  }

  /** Whether a value fits a schema, as far as needed to distinguish the members of a union. */
  #fits(given: JsonSchema, value: unknown): boolean {
    const { schema } = this.#resolve(given, '');
    const union = schema.oneOf ?? schema.anyOf;
    if (union) return union.some(member => this.#fits(member, value));
    if ('const' in schema) return schema.const === value;
    if (schema.enum) return schema.enum.includes(value);
    if (schema.type === undefined) return true;
    if (schema.type === 'null') return value === null;
    if (schema.type === 'array') return Array.isArray(value);
    if (schema.type === 'string') return typeof value === 'string' && this.#pattern(schema.pattern ?? '').test(value);
    if (schema.type !== 'object') return typeof value === (schema.type === 'integer' ? 'number' : schema.type);
    if (typeof value !== 'object' || value === null) return false;
    const members = value as Readonly<Record<string, unknown>>;
    const isThere = (key: string): boolean => key in members;
    return (
      (schema.required ?? []).every(isThere) &&
      Object.entries(schema.properties ?? {}).every(
        ([key, property]) => !isThere(key) || this.#fits(property, members[key]),
      )
    );
  }
}
