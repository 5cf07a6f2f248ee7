import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedPostgres } from '../support/postgres.ts';
import { casesOf, scale } from '../support/scale.ts';
import { crashRun } from './crash-run.ts';

/** Kills for each engine and mode. */
const KILLS = casesOf('CRASH_KILLS');
const SEED = Number(process.env.CRASH_SEED ?? 1);

const server = sharedPostgres();
const urlOf = async (engine: string) =>
  engine === 'postgres' && 'url' in server ? { database: await server.url() } : {};

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' && 'missing' in server ? server.missing : false;
  describe(engine, { skip }, () => {
    for (const mode of ['deliver', 'replay'] as const) {
      const onlyAtLength = scale === 'short' && (engine === 'postgres' || mode === 'replay');
      test(`${mode}: whenever the process is killed, what was acknowledged is there, and nothing twice (${engine})`, {
        skip:
          onlyAtLength &&
          `npm run test:all kills it ${engine === 'postgres' ? 'on PostgreSQL' : 'while it replays'} too`,
      }, async t => {
        const database = await urlOf(engine);
        const stats = await crashRun({ engine, mode, seed: SEED, kills: KILLS, ...database });
        t.diagnostic(JSON.stringify(stats));
        assert.ok(stats.kills >= KILLS);
        assert.ok(stats.inWork > 0, 'no kill hit a process in work');
        assert.ok(stats.rounds > 0);
      });
    }

    const ofToday = scale === 'short' && 'npm run test:all kills it on the chain of epoch 4.0 too';
    test(`deliver of a chain of epoch 4.0: whenever the process is killed, what was acknowledged is there (${engine})`, {
      skip: ofToday,
    }, async t => {
      const database = await urlOf(engine);
      const stats = await crashRun({ engine, mode: 'deliver', chain: 'today', seed: SEED, kills: KILLS, ...database });
      t.diagnostic(JSON.stringify(stats));
      assert.ok(stats.kills >= KILLS);
    });
  });
}
