import type { Database } from '../../base/store/database.ts';
import { type RowOf, upsertRows } from '../../base/store/table.ts';
import type { MetadataLimits } from '../limits.ts';
import { METADATA_HOSTS } from '../tables.ts';

/** Stores blocks of hosts beyond the lifetime of this process. Times are Unix milliseconds. */
interface HostBlocks {
  /** End of a host's block; 0 if it is not blocked. */
  load(host: string): Promise<number>;
  store(host: string, until: number): Promise<void>;
}

interface HostGateOptions {
  readonly limits: MetadataLimits;
  readonly blocks?: HostBlocks;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** Permission to send a request, released by `leave`; or how long no request may go to the host. */
export type Turn = { readonly leave: () => void } | { readonly retryAfterMs: number };

/**
 * Limits the requests to each host: every request of this process enters here first. A host is `name` or `name:port`.
 */
export interface HostGate {
  /**
   * Waits for a turn, at most `limits.hostWaitMs`. The caller calls `leave` when the request is over.
   * @throws the reason of the signal, when it is aborted; errors of the hooks
   */
  enter(host: string, signal?: AbortSignal): Promise<Turn>;
  /** Stops requests to a host for the time that it demands. */
  block(host: string, ms: number): Promise<void>;
  /** Reports how a request to a host ended. A host that fails several times in a row is not `healthy` for a minute. */
  succeeded(host: string): void;
  failed(host: string): void;
  healthy(host: string): boolean;
  /** Requests that have a turn now, to any host. */
  running(): number;
}

export function createHostGate(options: HostGateOptions): HostGate {
  const now = options.now ?? Date.now;
  const hosts = new Map<string, Host>();
  const hostOf = (name: string): Host => {
    let host = hosts.get(name);
    if (!host) {
      if (hosts.size >= MANY_HOSTS) for (const [key, other] of hosts) if (other.idle) hosts.delete(key);
      host = new Host(name, options, now);
      hosts.set(name, host);
    }
    return host;
  };
  return {
    enter: (host, signal) => hostOf(host).enter(signal),
    block: (host, ms) => hostOf(host).block(ms),
    succeeded: host => hostOf(host).succeeded(),
    failed: host => hostOf(host).failed(),
    healthy: host => hosts.get(host)?.healthy ?? true,
    running: () => [...hosts.values()].reduce((sum, host) => sum + host.running, 0),
  };
}

/** Contracts of strangers choose the hosts: above this number, hosts without failures or requests are forgotten. */
const MANY_HOSTS = 1000;
const FAILURES_IN_A_ROW = 3;
const UNHEALTHY_MS = 60_000;
/** Longest age of a loaded value: other processes block hosts too. */
const FRESH_MS = 10_000;

class Host {
  readonly #name: string;
  readonly #options: HostGateOptions;
  readonly #now: () => number;
  readonly #waiting = new Set<(turn: Turn) => void>();
  #running = 0;
  #nextStart = 0;
  #alarm: NodeJS.Timeout | undefined;
  #blockedUntil = 0;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(name: string, options: HostGateOptions, now: () => number) {
    this.#name = name;
    this.#options = options;
    this.#now = now;
  }

  get running(): number {
    return this.#running;
  }

  get idle(): boolean {
    const now = this.#now();
    const busy = this.#running > 0 || this.#waiting.size > 0 || now < this.#nextStart;
    return !busy && now >= this.#blockedUntil && this.healthy && now - this.#loadedAt > FRESH_MS;
  }

  get healthy(): boolean {
    return this.#failures < FAILURES_IN_A_ROW || this.#now() - this.#failedAt > UNHEALTHY_MS;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures++;
    this.#failedAt = this.#now();
  }

  async block(ms: number): Promise<void> {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#now() + ms);
    this.#pump();
    await this.#options.blocks?.store(this.#name, this.#blockedUntil);
  }

  async enter(signal: AbortSignal | undefined): Promise<Turn> {
    signal?.throwIfAborted();
    await this.#loadBlock();
    signal?.throwIfAborted();
    const { hostWaitMs } = this.#options.limits;
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(settle);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const settle = (turn: Turn) => {
        done();
        resolve(turn);
      };
      const abort = () => {
        done();
        reject(signal?.reason);
      };
      const timer = setTimeout(() => settle({ retryAfterMs: hostWaitMs }), hostWaitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(settle);
      this.#pump();
    });
  }

  /** Grants the available turns, in order of arrival. */
  #pump(): void {
    const { hostConcurrency, hostRequestsPerSecond } = this.#options.limits;
    for (const settle of this.#waiting) {
      const now = this.#now();
      if (now < this.#blockedUntil) {
        settle({ retryAfterMs: this.#blockedUntil - now });
        continue;
      }
      if (this.#running >= hostConcurrency) return;
      if (now < this.#nextStart) {
        this.#pumpIn(this.#nextStart - now);
        return;
      }
      this.#running++;
      this.#nextStart = now + 1000 / hostRequestsPerSecond;
      settle({ leave: this.#leaveOnce() });
    }
  }

  #pumpIn(ms: number): void {
    this.#alarm ??= setTimeout(() => {
      this.#alarm = undefined;
      this.#pump();
    }, ms);
  }

  #leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#running--;
      this.#pump();
    };
  }

  async #loadBlock(): Promise<void> {
    const { blocks } = this.#options;
    if (!blocks || this.#now() - this.#loadedAt < FRESH_MS) return;
    this.#loadedAt = this.#now();
    this.#blockedUntil = Math.max(this.#blockedUntil, await blocks.load(this.#name));
  }
}

/** Blocks of hosts in the database: they hold for all processes, and after a restart. */
export function hostBlocks(db: Database): HostBlocks {
  return {
    async load(host) {
      const row = await db.read(queries =>
        queries.get<RowOf<typeof METADATA_HOSTS, 'blocked_until'>>(
          'SELECT blocked_until FROM metadata_hosts WHERE host = ?',
          [host],
        ),
      );
      return row?.blocked_until ?? 0;
    },
    store: (host, until) => db.write(tx => upsertRows(tx, METADATA_HOSTS, [{ host, blocked_until: Math.ceil(until) }])),
  };
}
