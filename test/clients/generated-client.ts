import * as client7 from 'client-7';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { ClientCall } from './calls.ts';
import { valuesFor } from './values.ts';

const CLIENT = '@stacks/blockchain-api-client 7.14.1';

type Method = (parameters: Readonly<Record<string, unknown>>) => Promise<unknown>;
type ApiClass = new (configuration: client7.Configuration) => Readonly<Record<string, Method>>;

const CLASSES = Object.entries(client7).flatMap(([name, value]) =>
  /^[A-Z]\w+Api$/.test(name) ? [[name, value as unknown as ApiClass] as const] : [],
);

/** Each method with its path, as `/a/{name}`. */
export function methodsOfGeneratedClient(): { className: string; method: string; path: string }[] {
  return CLASSES.flatMap(([className, Class]) =>
    Object.getOwnPropertyNames(Class.prototype)
      .filter(method => method.endsWith('Raw'))
      .map(method => {
        const path = /path: `([^`]+)`/.exec(String(Class.prototype[method]))?.[1] ?? '';
        return { className, method: method.replace(/Raw$/, ''), path };
      }),
  );
}

/** Version 7 has a class for each tag and a method for each route, made by a generator: the path and what is required stand in their text. */
export function callsOfGeneratedClient(url: string, document: OpenApiDocument): ClientCall[] {
  const configuration = new client7.Configuration({ basePath: url });
  return CLASSES.flatMap(([name, Class]) => {
    const api = new Class(configuration);
    const raw = Object.getOwnPropertyNames(Class.prototype).filter(method => method.endsWith('Raw'));
    return raw.map((method): ClientCall => {
      const text = String(api[method]);
      const path = /path: `([^`]+)`/.exec(text)?.[1] ?? '';
      const required = [...text.matchAll(/RequiredError\('(\w+)'/g)].map(([, parameter = '']) => parameter);
      const { path: inPath, query, body } = valuesFor(path, document);
      const values: Readonly<Record<string, unknown>> = { ...inPath, ...query };
      const needed = Object.fromEntries(
        required.map(parameter => [parameter, values[snakeCase(parameter)] ?? bytes(body)]),
      );
      // Not required, but the methods send no request without them.
      const wanted = { address: query.address, txId: query.tx_id };
      const accepted = Object.entries(wanted).filter(
        ([name, value]) => value && text.includes(`requestParameters.${name} `),
      );
      const hasBody = text.includes('requestParameters.body') && body !== undefined;
      const given = { ...Object.fromEntries(accepted), ...needed, ...(hasBody && { body: bytes(body) }) };
      return {
        client: CLIENT,
        method: `${name}.${method.replace(/Raw$/, '')}`,
        run: async () => api[method.replace(/Raw$/, '')]?.(given),
        ...(path.startsWith('/rosetta') && { refused: 'Rosetta ended with version 8' }),
        ...(path.startsWith('/extended/beta') && { refused: 'moved to /extended/v1/{pox} in version 8' }),
      };
    });
  });
}

/** A body that is no JSON is a file for this client. */
const bytes = (body: unknown): unknown => (Buffer.isBuffer(body) ? new Blob([body]) : body);

const snakeCase = (name: string): string =>
  name === 'zoneFileHash' ? name : name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
