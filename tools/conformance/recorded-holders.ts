import type { Json, Recorded } from '../../test/support/recording.ts';

const HOLDERS = /^\/extended\/v1\/burnchain\/reward_slot_holders(?:\/([^/?]+))?(?:\?(.*))?$/;

interface Slot {
  readonly address: string;
  readonly burn_block_hash: string;
  readonly slot_index: number;
}

interface Slots {
  readonly total: number;
  readonly results: readonly Slot[];
}

/**
 * Holders of reward slots that the recorded API refuses as no address although its list has them: taproot addresses whose 32 bytes are no
 * point of the curve. They are compared with what the pages of the list hold of them; left out where the pages are not the whole list.
 */
export function withListedHolders<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const listed = slotsIn(responses);
  let changed = 0;
  const corrected = responses.flatMap(response => {
    const [, address, query] = HOLDERS.exec(response.path) ?? [];
    const isRefused = response.status === 400 && address !== undefined;
    if (!isRefused || !listed.slots.some(slot => slot.address === address)) return [response];
    changed++;
    if (!listed.whole) return [];
    return [{ ...response, status: 200, body: pageOf(listed.slots, address, new URLSearchParams(query)) }];
  });
  return { responses: corrected, changed };
}

/** The slots of all pages of the list, in its order. */
function slotsIn(responses: readonly Recorded[]): { slots: Slot[]; whole: boolean } {
  const slots = new Map<string, Slot>();
  let total = -1;
  const pages = responses.flatMap(({ path, status, body }) => {
    const [found, address, query] = HOLDERS.exec(path) ?? [];
    const offset = Number(new URLSearchParams(query).get('offset') ?? 0);
    return found !== undefined && address === undefined && status === 200
      ? [{ offset, page: body as unknown as Slots }]
      : [];
  });
  for (const { page } of pages.sort((a, b) => a.offset - b.offset)) {
    total = Math.max(total, page.total);
    for (const slot of page.results) slots.set(`${slot.burn_block_hash} ${slot.slot_index}`, slot);
  }
  return { slots: [...slots.values()], whole: slots.size === total };
}

function pageOf(slots: readonly Slot[], address: string, query: URLSearchParams): Json {
  const own = slots.filter(slot => slot.address === address);
  const limit = Number(query.get('limit') ?? 0) || 96;
  const offset = Number(query.get('offset') ?? 0);
  return { limit, offset, total: own.length, results: own.slice(offset, offset + limit) as unknown as Json };
}
