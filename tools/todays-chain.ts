/**
 * `node tools/todays-chain.ts`: runs the scenario of test/chains/simulation in the Clarity VM, and writes its events and what the VM holds
 * at the end to test/fixtures. The same scenario and VM give the same files.
 */
import { writeFileSync } from 'node:fs';
import { writeArchive } from '../src/ingest/node/archive/write.ts';
import { makeTodaysChain } from '../test/chains/simulation/todays-chain.ts';
import { TODAYS_CHAIN, TODAYS_END } from '../test/support/todays-chain.ts';

const { deliveries, atTheEnd } = await makeTodaysChain();
async function* rows() {
  for (const [i, { path, receivedAt, body }] of deliveries.entries()) yield { id: i + 1, path, receivedAt, body };
}
await writeArchive(TODAYS_CHAIN, rows());
writeFileSync(TODAYS_END, `${JSON.stringify(atTheEnd, null, 2)}\n`);
console.log(`${deliveries.length} events`);
