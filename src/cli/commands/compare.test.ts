import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { readOptions } from '../options/options.ts';
import { servingOptions, startServing } from './serve.ts';

const TESTNET = ['--chain-id', '0x80000000'];

test('compare shows by route what another server answers differently, and ends with 1', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents().slice(0, 120));
  const options = readOptions(['serve', ...place.args, '--port', '0', '--event-port', '0', ...TESTNET], {});
  const server = await startServing(servingOptions(options), pino({ level: 'silent' }));
  t.after(() => server.close());
  let [requests, refused] = [0, 0];
  const other = createServer(async (request, response) => {
    // It limits requests.
    if (++requests === 3 && refused++ === 0) return void response.writeHead(429, { 'retry-after': '1' }).end('{}');
    const ours = await fetch(`http://127.0.0.1:${server.apiPort}${request.url}`);
    const { 'content-length': _, ...headers } = Object.fromEntries(ours.headers);
    response.writeHead(ours.status, headers).end((await ours.text()).replaceAll('"tx_count":', '"tx_count":1'));
  });
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const compare = (port: number, routes = 'getBlockV2', ...more: string[]) => {
    const args = ['--with', `http://127.0.0.1:${port}`, ...place.args, '--routes', routes, '--samples', '2'];
    return callProgram(['compare', ...args, ...TESTNET, ...more]);
  };

  const directory = mkdtempSync(join(tmpdir(), 'compare-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const state = ['--state', join(directory, 'state')];
  const first = await compare((other.address() as AddressInfo).port, 'getBlockV2', ...state);
  const { code, output, stdout } = first;
  assert.equal(code, 1, output);
  assert.match(stdout, /\nDifferent: 1 of 1 routes\. Run .*--routes getBlockV2`/);
  assert.equal(refused, 1, 'the server has limited requests');
  requests = 3;
  const finished = await compare((other.address() as AddressInfo).port, 'getBlockV2', ...state);
  assert.deepEqual([finished.stdout, requests], [stdout, 4], 'a finished comparison only reads the tip');
  const otherTerms = await compare((other.address() as AddressInfo).port, 'getBlocksV2', ...state);
  assert.match(otherTerms.output, /^stacks-index: .* is of another comparison: .*\nName another file with --state/);
  assert.match(
    output,
    /DIFF getBlockV2: 0 of \d equal\n {7}\/extended\/v2\/blocks\/.*\n {9}tx_count: \d+ here, 1\d+ there/,
  );
  const unknown = await compare((other.address() as AddressInfo).port, 'getBlockV2,nope');
  assert.equal(unknown.code, 2, unknown.output);
  assert.match(
    unknown.output,
    /stacks-index: --routes: no route has nope in its name or path; .*list all routes\nTry: /,
  );
  const away = await compare(9); // no server listens there
  assert.equal(away.code, 1);
  assert.match(away.output, /stacks-index: no response to http:\/\/127\.0\.0\.1:9\/extended: .*\nCheck the URL/);
});
