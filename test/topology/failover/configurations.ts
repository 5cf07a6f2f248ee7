import { join } from 'node:path';

/** A server of the cluster and its Patroni. */
export interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly data: string;
}

/** Where HAProxy and pgbouncer listen. */
export interface ClusterPorts {
  readonly primary: number;
  readonly replicas: number;
  readonly pooled: number;
}

export function etcdArguments(
  home: string,
  { client, peer }: { readonly client: number; readonly peer: number },
): string[] {
  const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  return [
    ...['--name', 'etcd', '--data-dir', join(home, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `etcd=${peers}`],
  ];
}

/** Seconds are as short as Patroni allows. What is unsafe here matters to a machine that fails only, and this one does not. */
export function patroniConfiguration(
  { name, port, restPort, data }: Member,
  { home, etcdPort, bin }: { readonly home: string; readonly etcdPort: number; readonly bin: string },
): string {
  const trust = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return JSON.stringify({
    scope: 'stacks',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 6,
        loop_wait: 1,
        retry_timeout: 2,
        maximum_lag_on_failover: 1_048_576,
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 100, hot_standby_feedback: 'on', wal_keep_size: '512MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: bin,
      pgpass: join(home, `${name}.pgpass`),
      authentication: { superuser: { username: 'stacks' }, replication: { username: 'replicator' } },
      pg_hba: trust,
      basebackup: [{ checkpoint: 'fast' }, 'no-sync'],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: {
        unix_socket_directories: home,
        fsync: 'off',
        shared_buffers: '32MB',
        wal_receiver_status_interval: '1s',
        wal_retrieve_retry_interval: '200ms',
      },
    },
  });
}

/** Who leads is asked of each Patroni; connections to a server that leads no longer are cut. */
export function haproxyConfiguration(members: readonly Member[], { primary, replicas }: ClusterPorts): string {
  const listen = (name: string, port: number, path: string) => `
listen ${name}
  bind 127.0.0.1:${port}
  option httpchk OPTIONS ${path}
  http-check expect status 200
  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(member => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`).join('\n')}
`;
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
${listen('primary', primary, '/primary')}${listen('replicas', replicas, '/replica')}`;
}

export function pgbouncerConfiguration({ primary, replicas, pooled }: ClusterPorts): string {
  return `[databases]
primary = host=127.0.0.1 port=${primary} dbname=postgres user=stacks
replicas = host=127.0.0.1 port=${replicas} dbname=postgres user=stacks
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${pooled}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 40
server_login_retry = 1
server_connect_timeout = 2
`;
}
