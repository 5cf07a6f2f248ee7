import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';

/**
 * Pages near the tip whose `next_cursor` is null although newer rows are there, and pages past the tip that are not found although the cursor
 * is good. The list itself has the proof: its first page begins with a newer row. Compared with the cursor of that page, and with an empty page.
 */

const LISTS = /^(\/extended\/v2\/(?:blocks\/?|block-tenures\/\d+\/blocks|smart-contracts\/[^/?]+\/logs))(?:\?(.*))?$/;

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly next_cursor: string | null;
  readonly prev_cursor: string | null;
  readonly cursor: string | null;
  readonly results: readonly Json[];
}

/** The first page of each list of these responses, by its path. */
function firstPagesOf(responses: readonly Recorded[]): Map<string, Page> {
  const pages = new Map<string, Page>();
  for (const { path, status, body } of responses) {
    const [, list = '', query] = LISTS.exec(path) ?? [];
    const asked = new URLSearchParams(query);
    const page = body as unknown as Page;
    if (list === '' || status !== 200 || asked.has('cursor') || Number(asked.get('offset') ?? 0) !== 0) continue;
    if (page.cursor !== null) pages.set(withoutSlash(list), page);
  }
  return pages;
}

const withoutSlash = (list: string): string => list.replace(/\/$/, '');

function corrected(recorded: Recorded, first: ReadonlyMap<string, Page>): Recorded | undefined {
  const [, list = '', query] = LISTS.exec(recorded.path) ?? [];
  const newest = first.get(withoutSlash(list));
  if (!newest) return undefined;
  const page = recorded.body as unknown as Page;
  if (recorded.status === 200) {
    if (page.cursor === null || page.next_cursor !== null || page.cursor === newest.cursor) return undefined;
    return { ...recorded, body: { ...page, next_cursor: newest.cursor } as unknown as Json };
  }
  const asked = new URLSearchParams(query);
  const offset = Number(asked.get('offset') ?? 0);
  const cursor = asked.get('cursor')?.toLowerCase();
  if (recorded.status !== 404 || offset === 0 || cursor === undefined) return undefined;
  const limit = Number(asked.get('limit') ?? 0) || 20;
  const empty = { limit, offset, total: newest.total, next_cursor: null, prev_cursor: null, cursor: null, results: [] };
  return { ...recorded, status: 200, body: empty };
}

/** The responses of a recording, with these corrected. */
export function withNewestCursors<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const first = firstPagesOf(responses);
  let changed = 0;
  const all = responses.map(response => {
    const better = corrected(response, first);
    if (!better) return response;
    changed++;
    return { ...response, status: better.status, body: better.body };
  });
  return { responses: all, changed };
}

const known = new WeakMap<readonly Recorded[], ReadonlyMap<string, Page>>();

/** The same of the sibling routes. */
export const newestCursors: Correction = {
  reason: 'without a cursor near the tip, or not found past it',
  correct(recorded, { responses }) {
    const first = known.get(responses) ?? firstPagesOf(responses);
    known.set(responses, first);
    return corrected(recorded, first);
  },
};
