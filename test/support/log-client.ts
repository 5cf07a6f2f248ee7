import assert from 'node:assert/strict';

/** An event of the stream as a client has it. */
export interface ToldEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: clients look into events freely
  readonly data: any;
}

interface BlockOfClient {
  readonly hash: string;
  readonly events: ToldEvent[];
}

/**
 * What a client knows that does nothing but apply what it is told of the chain: blocks with their events, taken out by rollbacks. It
 * throws when it is told what cannot be: a block that does not stand on its tip, an event of a block that it does not have.
 */
export class LogClient {
  /** Of the last event; undefined before the first. */
  token: string | undefined;
  rollbacks = 0;
  readonly #blocks: BlockOfClient[] = [];
  readonly #balances = new Map<string, unknown>();
  /** Ids received since the client came back. */
  #seen = new Set<string>();

  /** The client lost its connection, and with it the events after this token. */
  comeBack(): void {
    this.#seen = new Set();
  }

  /** Index block hashes, the lowest first. */
  get hashes(): string[] {
    return this.#blocks.map(({ hash }) => hash);
  }

  get height(): number {
    return this.#blocks.length;
  }

  /** The last balance event of a principal. */
  balance(principal: string): unknown {
    return this.#balances.get(principal);
  }

  /** All events of a kind in chain order. */
  events(kind: string): ToldEvent[] {
    return this.#blocks.flatMap(({ events }) => events.filter(({ event }) => event === kind));
  }

  apply(told: ToldEvent): void {
    const { id, event, data } = told;
    if (event === 'rollback') this.#rollBack(told);
    assert.ok(!this.#seen.has(id), `${id} (${event}) is told twice`);
    this.#seen.add(id);
    if (event === 'rollback') {
      this.token = id;
      return;
    }
    if (event === 'block') this.#append(told);
    else if (event === 'balance' && id.split('.')[2]?.startsWith('5-'))
      this.#balances.set(data.principal, data.balance);
    else {
      const block = this.#blocks[data.block.height - 1];
      assert.equal(block?.hash, data.block.index_hash, `${id} belongs to no block of the client`);
      assert.equal(data.block.height, this.height, `${id} comes after its block`);
      block?.events.push(told);
      if (event === 'balance') this.#balances.set(data.principal, data.balance);
    }
    this.token = id;
  }

  #append({ id, data }: ToldEvent): void {
    assert.equal(data.block.height, this.height + 1, `${id} does not stand on the tip of the client`);
    if (this.height > 0) assert.equal(data.block.parent_index_hash, this.#blocks.at(-1)?.hash);
    this.#blocks.push({ hash: data.block.index_hash, events: [] });
  }

  #rollBack({ id, data }: ToldEvent): void {
    this.rollbacks++;
    // Another fork may lead back to the same block.
    this.#seen = new Set([...this.#seen].filter(seen => !seen.startsWith(id)));
    for (const { height, index_hash, id_prefix } of data.removed) {
      if (height > this.height) continue; // it was lost on the way, before it could be taken back
      assert.deepEqual(
        [height, index_hash],
        [this.height, this.#blocks.at(-1)?.hash],
        `${id} takes back another block`,
      );
      const removed = this.#blocks.pop();
      assert.ok(removed?.events.every(event => event.id.startsWith(id_prefix)));
      // The same blocks may come again.
      this.#seen = new Set([...this.#seen].filter(seen => !seen.startsWith(id_prefix)));
    }
    assert.deepEqual(
      [data.fork_point.height, data.fork_point.index_hash],
      [this.height, this.#blocks.at(-1)?.hash ?? null],
    );
    if (data.fork_point.height === 0) this.#balances.clear();
  }
}
