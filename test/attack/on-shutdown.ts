import { runProgram } from '../crash/program.ts';
import { freePort } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import type { Finding } from './finding.ts';

/** The server gets the signal to end while it waits for its database to come back. */
export async function endWhileDatabaseIsAway(): Promise<Finding[]> {
  const [nobody, port, eventPort] = [await freePort(), await freePort(), await freePort()];
  const url = `postgres://user:password@127.0.0.1:${nobody}/none`;
  const ports = ['--port', String(port), '--event-port', String(eventPort)];
  const server = runProgram(['serve', '--database', url, ...ports]);
  let ended = false;
  server.ended.then(() => {
    ended = true;
  });
  await until(() => ended || server.output().includes('CONNECTION_REFUSED'), 'it does not say that it waits', server);
  const begun = performance.now();
  const { code } = await server.kill('SIGTERM');
  return [
    { what: 'time until it ends', worst: (performance.now() - begun) / 1000, bound: 10, unit: 's' },
    { what: 'exit status', worst: code ?? 255, bound: 0, unit: '' },
  ];
}
