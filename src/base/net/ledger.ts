/** How much of one resource may be held at once. */
export interface Allowance {
  /** By all clients together. */
  readonly total: number;
  /** By one client address. */
  readonly perAddress: number;
  /**
   * Whether a new holding always replaces the slowest one instead of being refused: of its own address if that holds its share,
   * else of the address that holds the most, even if every address holds just one.
   */
  readonly replacesOwn?: boolean;
  /** Whether a new holding may replace one of an address that holds as much as its own would with it, not only more. */
  readonly replacesEqual?: boolean;
}

/** How the ledger can end a holding to make room for another client. */
export interface Closable {
  /**
   * How fast its client moves on, in any unit that compares with the other holdings of the resource (bytes a second, or the time
   * of the last byte). The slowest one is ended first. Undefined while it must not be ended. Values are read one after the other, so a
   * value that changes with the clock alone does not compare.
   */
  progress(): number | undefined;
  /** Ends it. The holding counts no longer. */
  close(): void;
}

/** What one client holds, until it is released. */
export interface Holding {
  /**
   * Takes more, or gives some back. @returns the limit that it would pass, `total` once the holding has ended; then nothing changes.
   * Undefined: it is counted
   */
  add(amount: number): Refusal | undefined;
  /** Gives everything back; further calls do nothing. Bound: callers pass it on without its object. */
  readonly release: () => void;
}

/** Which limit refused a client: that of its address, or that of all clients together. */
export type Refusal = 'address' | 'total';

export interface LedgerEvents {
  /** One address has held its full share of a resource for a minute. It may be a proxy that is not trusted yet. */
  onFullShare?(resource: string, address: string): void;
  /** The ledger ended a holding of this address to make room. */
  onClosed?(resource: string, address: string): void;
}

/** The state of one resource, and what happened to it since the start. */
interface ResourceFigures {
  readonly resource: string;
  /** What all clients hold. */
  readonly held: number;
  /** How often a client was refused, by the limit. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Holdings that were ended to make room. */
  readonly closed: number;
}

/** What one address holds of a resource. */
interface Account {
  /** Undefined: all trusted proxies together, which have no share. */
  readonly address: string | undefined;
  /** How many entries it has. */
  entries: number;
  /** Those that the ledger can end. A request in progress is not among them, so few addresses need the set. */
  closable: Set<Entry> | undefined;
  amount: number;
  /** Runs while the account holds its full share. */
  fullTimer: NodeJS.Timeout | undefined;
}

interface Resource {
  readonly name: string;
  readonly allowance: Allowance;
  readonly events: LedgerEvents;
  readonly accounts: Map<string | undefined, Account>;
  amount: number;
  readonly refused: Record<Refusal, number>;
  closed: number;
}

const FULL_SHARE_MS = 60_000;
/** Accounts of a resource up to which empty ones are kept: most requests come from an address that has just sent another. */
const MOST_KEPT = 1000;

/**
 * Counts what clients hold of each resource of this process: connections, streams, bytes of bodies, requests to the node.
 *
 * No address gets more than its share. When all of a resource is held, a client of an address that holds less than another one
 * still gets some: the ledger ends the slowest holding of the address that holds the most. So clients of one address, and those
 * of a few addresses together, cannot lock out the others.
 */
export class Ledger<R extends string> {
  readonly #resources: ReadonlyMap<R, Resource>;

  constructor(allowances: Readonly<Record<R, Allowance>>, events: LedgerEvents = {}) {
    this.#resources = new Map(
      (Object.entries(allowances) as [R, Allowance][]).map(([name, allowance]) => [
        name,
        { name, allowance, events, accounts: new Map(), amount: 0, refused: { address: 0, total: 0 }, closed: 0 },
      ]),
    );
  }

  /**
   * Takes an amount for a client. @param address undefined for a trusted proxy, which has no share of its own
   * @param closable how to end the holding; without it, the ledger never ends it for another client
   */
  hold(name: R, address: string | undefined, amount: number, closable?: Closable): Holding | Refusal {
    const resource = this.#resource(name);
    const refusal = makeRoom(resource, address, amount);
    return refusal ?? new Entry(resource, accountOf(resource, address), amount, closable);
  }

  /** An amount, or the share of one address if that is less. */
  atMostShare(name: R, amount: number): number {
    return Math.min(amount, this.#resource(name).allowance.perAddress);
  }

  /** What all clients together may hold of a resource. */
  total(name: R): number {
    return this.#resource(name).allowance.total;
  }

  /** What all clients hold of a resource. */
  held(name: R): number {
    return this.#resource(name).amount;
  }

  /** What one address holds of a resource. */
  heldBy(name: R, address: string): number {
    return this.#resource(name).accounts.get(address)?.amount ?? 0;
  }

  figures(): readonly ResourceFigures[] {
    return Array.from(this.#resources.values(), ({ name, amount, refused, closed }) => ({
      resource: name,
      held: amount,
      refused: { ...refused },
      closed,
    }));
  }

  #resource(name: R): Resource {
    const resource = this.#resources.get(name);
    if (resource === undefined) throw new TypeError(`there is no resource ${name}`);
    return resource;
  }
}

/** One holding. */
class Entry implements Holding {
  readonly resource: Resource;
  readonly account: Account;
  readonly closable: Closable | undefined;
  #amount = 0;
  #isHeld = true;

  constructor(resource: Resource, account: Account, amount: number, closable: Closable | undefined) {
    this.resource = resource;
    this.account = account;
    this.closable = closable;
    account.entries++;
    if (closable) {
      account.closable ??= new Set();
      account.closable.add(this);
    }
    this.#change(amount);
  }

  add(more: number): Refusal | undefined {
    if (!this.#isHeld) return 'total';
    const refusal = more > 0 ? makeRoom(this.resource, this.account.address, more, this) : undefined;
    if (refusal === undefined) this.#change(more);
    return refusal;
  }

  readonly release = (): void => {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    const { account, resource } = this;
    account.entries--;
    account.closable?.delete(this);
    this.#change(-this.#amount);
    if (account.entries === 0 && resource.accounts.size > MOST_KEPT) resource.accounts.delete(account.address);
  };

  #change(amount: number): void {
    const { account, resource } = this;
    this.#amount += amount;
    account.amount += amount;
    resource.amount += amount;
    const { address } = account;
    if (address === undefined) return;
    if (account.amount >= resource.allowance.perAddress) {
      account.fullTimer ??= setTimeout(
        () => resource.events.onFullShare?.(resource.name, address),
        FULL_SHARE_MS,
      ).unref();
    } else if (account.fullTimer) {
      clearTimeout(account.fullTimer);
      account.fullTimer = undefined;
    }
  }
}

/** Makes sure that an amount can be taken. @param own the entry that grows, which is not ended for that */
function makeRoom(resource: Resource, address: string | undefined, amount: number, own?: Entry): Refusal | undefined {
  const refusal = findRoom(resource, address, amount, own);
  if (refusal !== undefined) resource.refused[refusal]++;
  return refusal;
}

function findRoom(resource: Resource, address: string | undefined, amount: number, own?: Entry): Refusal | undefined {
  const { total, perAddress, replacesOwn = false, replacesEqual = replacesOwn } = resource.allowance;
  const mine = () => (address === undefined ? 0 : (resource.accounts.get(address)?.amount ?? 0));
  while (address !== undefined && mine() + amount > perAddress) {
    const account = resource.accounts.get(address);
    if (!replacesOwn || account === undefined || !closeSlowest([account], own))
      return perAddress < total ? 'address' : 'total';
  }
  while (resource.amount + amount > total) {
    const least = mine() + amount + (replacesEqual ? 0 : 1); // without it, two clients of equal shares would push out each other
    if (largerThan(resource, least).some(accounts => closeSlowest(accounts, own))) continue;
    const account = resource.accounts.get(address); // no other address has more
    if (!replacesOwn || account === undefined || !closeSlowest([account], own)) return 'total';
  }
  return undefined;
}

/** @returns false if no holding of the accounts may be ended */
function closeSlowest(accounts: readonly Account[], own: Entry | undefined): boolean {
  let slowest: Entry | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { closable } of accounts)
    for (const entry of closable ?? []) {
      const progress = entry === own ? undefined : entry.closable?.progress();
      if (progress === undefined || progress >= least) continue;
      least = progress;
      slowest = entry;
    }
  if (slowest === undefined) return false;
  const { resource, account, closable } = slowest;
  slowest.release();
  closable?.close();
  resource.closed++;
  resource.events.onClosed?.(resource.name, account.address ?? '');
  return true;
}

function accountOf({ accounts }: Resource, address: string | undefined): Account {
  const known = accounts.get(address);
  if (known) return known;
  const account: Account = { address, entries: 0, closable: undefined, amount: 0, fullTimer: undefined };
  accounts.set(address, account);
  return account;
}

/** The accounts of addresses that hold at least so much, the largest first; those that hold the same together. */
function largerThan({ accounts }: Resource, least: number): readonly Account[][] {
  const larger = [...accounts.values()]
    .filter(({ address, amount }) => address !== undefined && amount >= least)
    .sort((a, b) => b.amount - a.amount);
  return [...Map.groupBy(larger, ({ amount }) => amount).values()];
}
