import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { runProgram, runServer } from '../../test/crash/program.ts';
import { sampleEvents } from '../../test/crash/round.ts';
import { openFreshOf } from '../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../test/support/places.ts';

test('compare shows by route what another server answers differently, and ends with 1', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents().slice(0, 200));
  const server = await runServer(place.args);
  t.after(() => server.kill());
  assert.ok(await server.ready, server.output());
  const other = createServer(async (request, response) => {
    const { status, text } = await server.get(request.url ?? '');
    response.writeHead(status).end(text.replaceAll('"tx_count":', '"tx_count":1'));
  });
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
  t.after(() => other.close());
  const compare = async (port: number, routes = 'getBlock') => {
    const url = `http://127.0.0.1:${port}`;
    const program = runProgram(['compare', '--with', url, ...place.args, '--routes', routes, '--samples', '4']);
    const { code } = await program.ended;
    return { code, output: program.output() };
  };

  const { code, output } = await compare((other.address() as AddressInfo).port);
  assert.equal(code, 1, output);
  assert.match(
    output,
    /DIFF getBlock: 0 of \d equal\n {7}\/extended\/v2\/blocks\/.*\n {9}tx_count: \d+ here, 1\d+ there/,
  );
  const unknown = await compare((other.address() as AddressInfo).port, 'getBlock,nope');
  assert.equal(unknown.code, 2, unknown.output);
  assert.match(
    unknown.output,
    /stacks-index: --routes: no route has nope in its name or path; .*list all routes\nTry: /,
  );
  const away = await compare(9); // nobody listens there
  assert.equal(away.code, 1);
  assert.match(away.output, /stacks-index: no response to http:\/\/127\.0\.0\.1:9\/extended: .*\nCheck the URL/);
});
