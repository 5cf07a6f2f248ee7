import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient as createMetadataClient } from '@hirosystems/token-metadata-api-client';
import { createClient as createClient8 } from 'client-8';
import { createClient as createClient9 } from 'client-9';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { ClientCall } from './calls.ts';
import { stakingValuesFor } from './staking-chain.ts';
import { valuesFor } from './values.ts';

/** Clients that have one function for each path of their document. */
export const OPENAPI_CLIENTS = [
  { client: '@stacks/blockchain-api-client 8.15.4', folder: 'client-8', create: createClient8 },
  { client: '@stacks/blockchain-api-client 9.0.2', folder: 'client-9', create: createClient9 },
  {
    client: '@hirosystems/token-metadata-api-client 2.0.0',
    folder: '@hirosystems/token-metadata-api-client',
    create: createMetadataClient,
  },
] as const;

const MODULES = join(import.meta.dirname, '../../node_modules');

export const schemaFileOf = (folder: string): string => join(MODULES, folder, 'lib/generated/schema.d.ts');

interface Route {
  readonly path: string;
  readonly method: 'GET' | 'POST';
}

/** Every path of the types that the client publishes. */
export function routesOf(folder: string): Route[] {
  const text = readFileSync(schemaFileOf(folder), 'utf8');
  const paths = text.slice(text.indexOf('export interface paths'), text.indexOf('\n}\n'));
  return paths.split(/\n {4}(?=")/).flatMap((block): Route[] => {
    const path = /^"([^"]+)": \{/.exec(block)?.[1];
    if (path === undefined) return [];
    return (['GET', 'POST'] as const).flatMap(method =>
      new RegExp(`\\n {8}${method.toLowerCase()}: `).test(block) ? [{ path, method }] : [],
    );
  });
}

/** As the types have it, without their knowledge of each path. */
type AnyClient = Readonly<
  Record<
    Route['method'],
    (path: string, request: object) => Promise<{ readonly data?: unknown; readonly error?: unknown }>
  >
>;

/** @param stakingUrl an API that has something for paths about PoX 5 */
export function callsOfOpenApiClients(url: string, document: OpenApiDocument, stakingUrl: string): ClientCall[] {
  return OPENAPI_CLIENTS.flatMap(({ client, folder, create }) => {
    const madeFor = (baseUrl: string) => create({ baseUrl }) as unknown as AnyClient; // every path in turn, not one that is written here
    const [ofSample, ofStaking] = [madeFor(url), madeFor(stakingUrl)];
    return routesOf(folder).map(({ path, method }): ClientCall => {
      const { path: ofExamples, query, body } = valuesFor(path, document);
      const aboutStaking = stakingValuesFor(path);
      const made = aboutStaking ? ofStaking : ofSample;
      const inPath = aboutStaking ?? ofExamples;
      const parseAs = path.endsWith('/plain') || path === '/extended/v1/fee_rate' ? 'text' : 'json';
      const run = async () => {
        const { data, error } = await made[method](path, { params: { path: inPath, query }, body, parseAs });
        if (error !== undefined) throw error;
        return data;
      };
      return { client, method: `${method} ${path}`, run };
    });
  });
}
