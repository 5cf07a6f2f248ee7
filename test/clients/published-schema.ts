import { readFileSync } from 'node:fs';
import type { JsonSchema } from '../../src/api/http/openapi/components.ts';

/** Reads the responses of a `schema.d.ts` as openapi-typescript writes it. */
export class PublishedTypes {
  readonly #source: string;

  constructor(file: string) {
    this.#source = readFileSync(file, 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
  }

  /** The type of the body of GET with status 200. @param path as in the file @throws where the file has none */
  responseOf(path: string): JsonSchema {
    const item = this.#after(0, `\n    "${path}": {`);
    const [, name] = /get: operations\["(\w+)"\]/.exec(this.#source.slice(item)) ?? [];
    const operation = this.#after(this.#after(0, '\nexport interface operations {'), `\n    ${name}: {`);
    const ok = this.#after(operation, '\n            200: {');
    return new TypeReader(this.#source.slice(this.#after(ok, '"application/json": '))).type();
  }

  #after(from: number, text: string): number {
    const at = this.#source.indexOf(text, from);
    if (at < 0) throw new Error(`the types have no ${text.trim()}`);
    return at + text.length;
  }
}

/** Reads one type: object types, unions, intersections, lists, literals and the types of JSON. */
class TypeReader {
  #rest: string;

  constructor(source: string) {
    this.#rest = source;
  }

  type(): JsonSchema {
    const members = this.#separated('|', () => this.#separated('&', () => this.#list()).reduce(both));
    const words = members.filter(member => member.enum);
    const others = members.filter(member => !member.enum);
    const all = words.length > 0 ? [{ enum: words.flatMap(member => member.enum ?? []) }, ...others] : others;
    const [only] = all;
    return all.length === 1 && only ? only : { oneOf: all.flatMap(member => member.oneOf ?? [member]) };
  }

  #separated(sign: string, read: () => JsonSchema): JsonSchema[] {
    const items = [read()];
    while (this.#takes(sign)) items.push(read());
    return items;
  }

  #list(): JsonSchema {
    let item = this.#single();
    while (this.#takes('[]')) item = { type: 'array', items: item };
    return item;
  }

  #single(): JsonSchema {
    if (this.#takes('(')) {
      const type = this.type();
      this.#expect(')');
      return type;
    }
    if (this.#takes('{')) return this.#object();
    const [token = ''] = /^("[^"]*"|-?\d+|\w+(<[^>]*>)?)/.exec(this.#rest.trimStart()) ?? [];
    this.#expect(token);
    if (/^["\d-]/.test(token) || token === 'true' || token === 'false') return { enum: [JSON.parse(token)] };
    return token === 'unknown' || token.includes('<') ? {} : { type: token };
  }

  #object(): JsonSchema {
    const [properties, required]: [Record<string, JsonSchema>, string[]] = [{}, []];
    while (!this.#takes('}')) {
      const [member = '', name = '', optional] =
        /^\[?"?([\w-]+)"?(?:: string\])?(\?)?: /.exec(this.#rest.trimStart()) ?? [];
      this.#expect(member);
      const type = this.type();
      this.#expect(';');
      if (member.startsWith('[')) continue;
      properties[name] = type;
      if (optional === undefined) required.push(name);
    }
    return { type: 'object', properties, required };
  }

  #takes(sign: string): boolean {
    const rest = this.#rest.trimStart();
    if (!rest.startsWith(sign)) return false;
    this.#rest = rest.slice(sign.length);
    return true;
  }

  #expect(sign: string): void {
    if (sign === '' || !this.#takes(sign)) throw new Error(`not a type that is known: ${this.#rest.slice(0, 80)}`);
  }
}

/** What is of both: of unions each member with each. */
function both(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (a.oneOf) return { oneOf: a.oneOf.map(member => both(member, b)) };
  if (b.oneOf) return { oneOf: b.oneOf.map(member => both(a, member)) };
  return {
    type: 'object',
    properties: { ...a.properties, ...b.properties },
    required: [...(a.required ?? []), ...(b.required ?? [])],
  };
}
