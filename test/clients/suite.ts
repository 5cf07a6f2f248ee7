import type { TestContext } from 'node:test';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { listenBetween, type Outcome, outcomesOf } from './calls.ts';
import { callsOfGeneratedClient } from './generated-client.ts';
import { callsOfOpenApiClients } from './openapi-fetch-clients.ts';
import { callsOfStacksJs } from './stacks-js.ts';
import { openWorld } from './world.ts';

/** Makes every call of every client against the sample chain. */
export async function runSuite(t: Pick<TestContext, 'after'>): Promise<Outcome[]> {
  const { url } = await openWorld(t);
  const between = await listenBetween(url, t);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const calls = [
    ...callsOfGeneratedClient(between.url, document),
    ...callsOfOpenApiClients(between.url, document),
    ...callsOfStacksJs(between.url),
  ];
  return outcomesOf(calls, between);
}
