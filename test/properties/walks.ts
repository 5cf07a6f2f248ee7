import assert from 'node:assert/strict';
import { buildChain } from '../chains/build.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { ACCOUNTS, NFT_ASSET } from '../chains/transactions.ts';
import fc from '../support/fast-check.ts';
import type { TestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';

/** Lists whose rows say where they are. */
const listsOf = (account: number): string[] => [
  '/extended/v3/transactions',
  ...['transactions', 'transfers/stx/inbound', 'transfers/stx/outbound'].map(
    list => `/extended/v3/principals/${accountAddress(account)}/${list}`,
  ),
  `/extended/v3/tokens/nft/${encodeURIComponent(NFT_ASSET)}/1/history`,
];

interface Row {
  readonly height: number;
  readonly id: string;
}

// biome-ignore lint/suspicious/noExplicitAny: records of several routes
function rowOf(record: any): Row {
  const { block = record.transaction.block, transaction = record } = record;
  return { height: block.height, id: [transaction.tx_id, transaction.event_index].join(':') };
}

/** A client that goes through a list, a page at a time, and follows the reported forks (docs/spec/cursors.md#forks). */
class Walker {
  readonly list: string;
  readonly #rows: Row[] = [];
  #cursor: string | null = null;
  #seen: string | undefined;
  /** What it has of heights above is void, or was not there when it began. */
  #bound: number | undefined;
  isDone = false;

  constructor(list: string) {
    this.list = list;
  }

  async readPage(index: TestIndex, limit: number): Promise<void> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (this.#cursor !== null) query.set('cursor', this.#cursor);
    if (this.#seen !== undefined) query.set('seen_tip', this.#seen);
    const { status, headers, body } = await index.get(`${this.list}?${query}`);
    assert.equal(status, 200, this.list);
    const fork = headers['x-stacks-fork-height'];
    this.#bound ??= Number(headers['x-stacks-tip-height'] ?? 0);
    if (fork !== undefined) this.#bound = Math.min(this.#bound, Number(fork));
    this.#seen = headers['x-stacks-tip-index-block-hash'] as string | undefined;
    this.#rows.push(...body.results.map(rowOf));
    this.#cursor = body.cursor.next;
    this.isDone = this.#cursor === null;
  }

  /** The client's rows below every reported fork are the rows of the list there now. */
  async assertComplete(index: TestIndex): Promise<void> {
    const fresh = new Walker(this.list);
    while (!fresh.isDone) await fresh.readPage(index, 50);
    const stands = ({ height }: Row): boolean => height <= (this.#bound ?? 0);
    assert.deepEqual(this.#rows.filter(stands), fresh.#rows.filter(stands), this.list);
  }
}

const cases = fc.record({
  plan: chainPlans({ maxSteps: 30 }),
  /** When the walks begin, in eighths of what is delivered. */
  start: fc.integer({ min: 2, max: 7 }),
  account: fc.constantFrom(...ACCOUNTS),
  limits: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
});

export const walks = defineProperty({
  file: 'walks',
  rule: 'a walk through a list of version 3, while blocks and forks arrive, meets each row below the forks that it was told of once',
  cases,
  hold: async (bench, { plan, start, account, limits }) => {
    const sent = buildChain(plan).sent.map(({ delivery }) => delivery);
    const on = await bench.openIndex();
    const first = Math.ceil((sent.length * start) / 8);
    await on.deliver(sent.slice(0, first), plan.batch);
    const walking = new Set(listsOf(account).map(list => new Walker(list)));
    const visit = async (turn: number): Promise<void> => {
      for (const walker of walking) {
        await walker.readPage(on.index, limits[turn % limits.length] ?? 1);
        if (!walker.isDone) continue;
        await walker.assertComplete(on.index);
        walking.delete(walker);
      }
    };
    for (let at = first; at < sent.length; at++) {
      await visit(at);
      await on.deliver(sent.slice(at, at + 1), plan.batch);
    }
    for (let turn = 0; walking.size > 0; turn++) await visit(turn);
  },
});
