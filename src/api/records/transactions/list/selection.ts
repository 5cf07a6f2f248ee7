import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { type NarrowFilter, narrowed } from './filters.ts';
import { positionsInSpans, positionsInStretches } from './list-parts.ts';
import { totalLength } from './spans.ts';

/** The set of transactions that a page is a part of: those within spans that pass a filter. */
export interface Selection {
  /** Its size. */
  readonly length: number;
  readonly filter: NarrowFilter | undefined;
  /** Undefined: everywhere. */
  readonly spans: readonly Span[] | undefined;
}

/** The transactions of a selection within spans. */
export interface Selected {
  readonly length: number;
  /** Positions of the transactions at these places [from, to), in chain order; places below 0 are empty. */
  slice(from: number, to: number): Promise<number[]>;
}

export async function selectedWithin(
  queries: Queries,
  filter: NarrowFilter | undefined,
  spans: readonly Span[],
): Promise<Selected> {
  if (!filter) return sliceable(totalLength(spans), slice => positionsInSpans(spans, slice));
  const [narrow] = await narrowed(queries, [filter], spans);
  const stretches = narrow?.stretches ?? [];
  return sliceable(narrow?.length ?? 0, slice => positionsInStretches(queries, stretches, slice));
}

function sliceable(
  length: number,
  slice: (slice: { order: 'asc'; offset: number; limit: number }) => Promise<number[]>,
): Selected {
  return {
    length,
    slice: async (from, to) => {
      const [offset, end] = [Math.max(0, from), Math.min(to, length)];
      return offset < end ? slice({ order: 'asc', offset, limit: end - offset }) : [];
    },
  };
}
