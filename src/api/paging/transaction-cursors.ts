import type { Queries } from '../../base/store/database.ts';
import {
  type ChainPosition,
  chainPositionsOf,
  compareChainPositions,
  countUpTo,
  numbersOf,
  spanOfHeight,
} from './chain-position.ts';

/** `height:microblock sequence:index`, and a number for further transactions of the same place (docs/spec/cursors.md#places). */
export const PLACE_CURSOR = '^[0-9]+:[0-9]+:[0-9]+(:[0-9]+)?$';

/** The only height at which several transactions have one place: the boot block joins block 1. They are neighbours. */
const SHARED_HEIGHT = 1;

/** The place of a transaction, as written in its cursor. */
export interface Placed {
  /** Its position among all transactions. */
  readonly tx: number;
  readonly place: ChainPosition;
}

/** The cursors of transactions. */
export async function placeCursors(queries: Queries, placed: readonly Placed[]): Promise<string[]> {
  const shared = placed.filter(({ place }) => place[0] === SHARED_HEIGHT);
  const after = await chainPositionsOf(
    queries,
    shared.map(({ tx }) => tx + 1),
  );
  return placed.map(({ tx, place }) => {
    const next = after.get(tx + 1);
    const isSecond = next !== undefined && compareChainPositions(next, place) === 0;
    return `${place.join(':')}${isSecond ? ':1' : ''}`;
  });
}

/**
 * End position (exclusive), among all transactions, of the page that a cursor names in a list that has the newest
 * first. `height:0:0` covers all of that height, unless the list has a transaction there.
 * @param isListed whether the list has the transaction of this position
 */
export async function endOfCursor(
  queries: Queries,
  cursor: string,
  isListed: (tx: number) => boolean | Promise<boolean>,
): Promise<number> {
  const [height = 0, sequence = 0, index = 0, further = 0] = numbersOf(cursor);
  const end = await countUpTo(queries, [height, sequence, index]);
  if (sequence > 0 || index > 0) return Math.max(0, end - further);
  const place = (await chainPositionsOf(queries, [end - 1])).get(end - 1);
  const isRow = place !== undefined && compareChainPositions(place, [height, 0, 0]) === 0 && (await isListed(end - 1));
  return isRow ? Math.max(0, end - further) : (await spanOfHeight(queries, height)).to;
}
