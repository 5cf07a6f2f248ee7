import { isDeepStrictEqual } from 'node:util';
import { FORM_WORDS } from '../validation.ts';

/** A JSON schema, or any other JSON object of the document. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  /** The values of an object that is a map. Not published, because generators of clients do not know the keyword. */
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: Discriminator;
  readonly examples?: readonly unknown[];
  readonly [FORM_WORDS]?: string;
}

/** The property by which a client knows which member of a union it has, and the value for each member. */
interface Discriminator {
  readonly propertyName: string;
  readonly mapping: Readonly<Record<string, string>>;
}

export const REFERENCE = '#/components/schemas/';

/**
 * Collects the schemas that have a title as named components, so that each is written once. It returns the published
 * schema: exact, with references in place of titled schemas.
 */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #sources = new Map<string, JsonSchema>();

  /** @throws Error when two different schemas have one title */
  publish(schema: JsonSchema): JsonSchema {
    const { title } = schema;
    if (title === undefined) return this.#body(schema);
    const known = this.#sources.get(title);
    if (known === undefined) {
      this.#sources.set(title, schema);
      this.schemas[title] = this.#body(schema);
    } else if (known !== schema && !isDeepStrictEqual(known, schema)) {
      throw new Error(`two schemas have the title ${title}`);
    }
    return { $ref: REFERENCE + title };
  }

  #body(schema: JsonSchema): JsonSchema {
    const {
      properties,
      additionalProperties,
      patternProperties: _p,
      items,
      anyOf,
      oneOf,
      [FORM_WORDS]: _,
      ...rest
    } = schema;
    const union = oneOf ?? anyOf;
    return {
      ...rest,
      ...(properties && { properties: mapValues(properties, property => this.publish(property)) }),
      ...(items && { items: this.publish(items) }),
      ...(properties && { additionalProperties: this.#others(additionalProperties) }),
      ...(union && this.#union(union, oneOf ? 'oneOf' : 'anyOf')),
    };
  }

  /** An object is exact unless its schema allows other members. */
  #others(additional: boolean | JsonSchema = false): boolean | JsonSchema {
    return typeof additional === 'boolean' ? additional : this.publish(additional);
  }

  #union(members: readonly JsonSchema[], kind: 'oneOf' | 'anyOf'): JsonSchema {
    if (members.every(isWord)) return { type: 'string', enum: members.map(member => member.const) };
    const published = members.map(member => this.publish(member));
    const discriminator = discriminatorOf(members);
    return discriminator ? { oneOf: published, discriminator } : { [kind]: published };
  }
}

const isWord = (schema: JsonSchema): boolean => typeof schema.const === 'string' && schema.description === undefined;

/** The first property that has another constant text in each member; members must be components. */
function discriminatorOf(members: readonly JsonSchema[]): Discriminator | undefined {
  const first = members[0]?.properties;
  if (first === undefined || members.length < 2 || members.some(member => member.title === undefined)) return undefined;
  for (const propertyName of Object.keys(first)) {
    const values = members.map(member => member.properties?.[propertyName]?.const);
    if (!values.every(value => typeof value === 'string') || new Set(values).size < values.length) continue;
    const mapping = Object.fromEntries(members.map((member, i) => [values[i], REFERENCE + member.title]));
    return { propertyName, mapping };
  }
  return undefined;
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
