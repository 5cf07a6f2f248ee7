import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RunAs, serverUser } from '../../support/postgres-binaries.ts';

/** What a cluster is made of; Debian: patroni, etcd-server, pgbouncer, haproxy, postgresql-15. */
export interface ClusterPrograms {
  readonly patroni: string;
  readonly etcd: string;
  readonly pgbouncer: string;
  readonly haproxy: string;
  /** A directory with all programs of PostgreSQL, pg_rewind and pg_basebackup among them. */
  readonly postgresBin: string;
  readonly user: RunAs;
  /** One line for the reader of a test run. */
  readonly versions: string;
}

const PLACES = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
const POSTGRES = '/usr/lib/postgresql';

/** Finds the programs; gives the names of those that are missing. */
export function findClusterPrograms(): ClusterPrograms | { readonly missing: string } {
  const user = serverUser();
  if (user === undefined) return { missing: 'PostgreSQL does not run as root, and there is no other user' };
  const find = (name: string) => PLACES.map(place => join(place, name)).find(existsSync);
  const found = {
    patroni: find('patroni'),
    etcd: find('etcd'),
    pgbouncer: find('pgbouncer'),
    haproxy: find('haproxy'),
  };
  const { patroni, etcd, pgbouncer, haproxy } = found;
  const postgresBin = directoryOfPostgres();
  if (!patroni || !etcd || !pgbouncer || !haproxy || !postgresBin) {
    const missing = Object.entries({ ...found, 'PostgreSQL with pg_rewind': postgresBin });
    return {
      missing: `not installed: ${missing.flatMap(([name, at]) => (at === undefined ? [name] : [])).join(', ')}`,
    };
  }
  const versions = [
    firstLine(join(postgresBin, 'postgres'), '--version'),
    firstLine(patroni, '--version'),
    firstLine(etcd, '--version'),
    firstLine(pgbouncer, '--version'),
    firstLine(haproxy, '-v'),
  ].join('; ');
  return { patroni, etcd, pgbouncer, haproxy, postgresBin, user, versions };
}

function directoryOfPostgres(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map(version => join(POSTGRES, version, 'bin')).find(bin => existsSync(join(bin, 'pg_rewind')));
}

const firstLine = (program: string, argument: string): string =>
  spawnSync(program, [argument], { encoding: 'utf8', cwd: '/' }).stdout.split('\n')[0]?.trim() ?? '';
