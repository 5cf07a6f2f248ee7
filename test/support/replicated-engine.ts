import { after, before, describe } from 'node:test';
import type { Location } from '../../src/base/store/open.ts';
import { openDatabase } from '../../src/base/store/open.ts';
import type { OnEngines } from './engines.ts';
import { missingPostgres, present } from './postgres.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts';
import { atLength } from './scale.ts';

/** As onEveryEngine, on PostgreSQL with a streaming replica, at length only. */
export const onReplicatedPostgres: OnEngines = define =>
  describe('postgres with a replica', { skip: atLength || missingPostgres() }, () => {
    let servers: ReplicatedPostgres | undefined;
    before(async () => {
      servers = present(await startReplicatedPostgres());
    });
    after(() => servers?.stop());
    define('postgres', () => {
      if (servers === undefined) throw new Error('the suite has not begun');
      const { primary, replica, untilReplayed } = servers;
      const schema = 'replicated';
      const location: Location = { kind: 'postgres', url: primary.url, schema };
      const database = openDatabase(location);
      return Promise.resolve({
        database,
        location,
        replica: { location: { ...location, url: replica.url }, untilReplayed },
        cleanup: () => database.close(),
      });
    });
  });
