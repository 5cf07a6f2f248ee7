import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { temporaryDatabase } from '../crash/reference.ts';
import { openTestIndex } from '../support/test-index.ts';

/** What clients ask again and again. The responses depend on the events alone, not on when they came. */
export const WATCHED = [
  '/extended',
  '/extended/v2/blocks?limit=5',
  '/extended/v2/blocks/latest/transactions?limit=5',
  '/extended/v1/tx?limit=5',
  '/extended/v2/burn-blocks/latest',
  '/extended/v1/burnchain/reward_slot_holders?limit=5',
] as const;

/** Every state of the index that events make, one after the other, told by the responses to the watched paths. */
export interface History {
  /** How many times the tip moves to a lower height. */
  readonly movesBack: number;
  /** A client that has seen nothing yet. */
  follow(): Follower;
}

/** A client that sends requests again and again. No response may show an earlier state than one before it. */
export interface Follower {
  /** @returns undefined when a state with this response is not before what was seen, else what is wrong */
  see(path: string, text: string): string | undefined;
}

/** Gives the events one by one to an index in one process. */
export async function historyOf(events: readonly Delivery[]): Promise<History> {
  const { database, remove } = temporaryDatabase();
  const states = new Map<string, number[]>();
  const heights: number[] = [];
  try {
    const index = await openTestIndex(database);
    for (let n = 0; n <= events.length; n++) {
      const event = events[n - 1];
      if (event !== undefined) await index.deliver(event);
      for (const path of WATCHED) {
        const { body } = await index.page(path, { accept: 'application/json' });
        const key = keyOf(path, body);
        states.set(key, [...(states.get(key) ?? []), n]);
        if (path === '/extended') heights.push(JSON.parse(body).chain_tip?.block_height ?? 0);
      }
    }
  } finally {
    await remove();
  }
  const movesBack = heights.filter((height, i) => height < (heights[i - 1] ?? 0)).length;
  return { movesBack, follow: () => followerIn(states) };
}

function followerIn(states: ReadonlyMap<string, readonly number[]>): Follower {
  /** The earliest state that all responses so far allow: whoever is at least there has not been led back. */
  let at = 0;
  return {
    see: (path, text) => {
      if (path === '/extended' && !('lag' in JSON.parse(text))) return undefined; // it cannot know the chain now
      const possible = states.get(keyOf(path, text));
      if (possible === undefined) return `there was never such a state: ${text.slice(0, 300)}`;
      const next = possible.find(n => n >= at);
      if (next === undefined) return `from state ${at} back to ${possible.at(-1)}: ${text.slice(0, 300)}`;
      at = next;
      return undefined;
    },
  };
}

/** `/extended` also describes the process that responds; only its tip belongs to the chain. */
function keyOf(path: string, text: string): string {
  const body = JSON.parse(text);
  return `${path} ${JSON.stringify(path === '/extended' ? (body.chain_tip ?? null) : body)}`;
}
