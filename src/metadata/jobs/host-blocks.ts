import type { Database } from '../../store/database.ts';
import type { HostBlocks } from '../fetch/host-gate.ts';
import { METADATA_HOSTS } from '../tables.ts';

/** Blocks of hosts in the database: they hold for all processes, and after a restart. */
export function hostBlocks(db: Database): HostBlocks {
  return {
    async load(host) {
      const row = await db.read(queries =>
        queries.get<{ blocked_until: number }>('SELECT blocked_until FROM metadata_hosts WHERE host = ?', [host]),
      );
      return row?.blocked_until ?? 0;
    },
    store: (host, until) => db.write(tx => tx.upsertMany(METADATA_HOSTS, [[host, Math.ceil(until)]])),
  };
}
