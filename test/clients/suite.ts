import type { TestContext } from 'node:test';
import type { OpenApiDocument } from '../../src/api/http/openapi/document.ts';
import type { Scale } from '../support/scale.ts';
import { type ClientCall, listenBetween, type Outcome, outcomesOf } from './calls.ts';
import { callsOfClarinetSdk } from './clarinet-sdk.ts';
import { callsOfGeneratedClient } from './generated-client.ts';
import { callsOfLiveClients } from './live-clients.ts';
import { callsOfOpenApiClients } from './openapi-fetch-clients.ts';
import { callsOfStacksJs } from './stacks-js.ts';
import { stakingEvents } from './staking-chain.ts';
import { openWorld } from './world.ts';

/**
 * Makes every call of every client against the sample chain, and calls about PoX 5 against a chain that has it. In short, only the newest client listens, no
 * Clarity VM reads from the API, and clients before the newest make every sixth call.
 */
export async function runSuite(t: Pick<TestContext, 'after'>, scale: Scale): Promise<Outcome[]> {
  const { url } = await openWorld(t);
  const staking = await openWorld(t, stakingEvents(), 'when a request needs it');
  const between = await listenBetween(url, t);
  const betweenStaking = await listenBetween(staking.url, t, between.exchanges);
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const calls = [
    ...callsOfGeneratedClient(between.url, document),
    ...callsOfOpenApiClients(between.url, document, betweenStaking.url),
    ...callsOfStacksJs(between.url),
    ...(scale === 'all' ? callsOfClarinetSdk(between) : []),
    ...(await callsOfLiveClients(t, scale)),
  ];
  return outcomesOf(scale === 'all' ? calls : calls.filter(isMadeInShort), between);
}

const isMadeInShort = ({ client }: ClientCall, i: number): boolean =>
  !/blockchain-api-client [78]\./.test(client) || i % 6 === 0;
