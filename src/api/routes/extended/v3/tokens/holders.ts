import { amount, principal } from '../../../../http/schema.ts';
import { Type } from '../../../../http/type.ts';
import { at } from '../../../../paging/as-of.ts';
import { type CursorPage, cursorPage, cursorPageOf } from '../../../../paging/cursor-page.ts';
import type { HolderPosition } from '../../../../records/token-balances/past-holders.ts';
import { cursorQuery } from '../list.ts';

const Holder = Type.Object(
  {
    principal: principal(),
    balance: amount('In the smallest unit; above zero'),
  },
  { title: 'TokenHolder' },
);

export const HoldersPageV3 = cursorPageOf(Holder, 'TokenHoldersPage');

/** The parameters of lists of holders. */
export const holdersQuery = () =>
  Type.Object({
    ...cursorQuery(
      { maximum: 200, default: 100 },
      {
        pattern: '^-?[0-9]{1,60}:S[0-9A-Z]{20,41}(\\.[a-zA-Z][a-zA-Z0-9_-]{0,127})?$',
        description: '`<balance>:<principal>`',
        example: '1000:ST1WX5N71TVZ7790XRB9M0XBRNKZ04JSD2T590MZN',
      },
    ),
    at: at(),
  });

/** The place that a cursor names. */
export function parseHolderCursor(cursor: string | undefined): HolderPosition | undefined {
  if (cursor === undefined) return undefined;
  const [balance = '', principal = ''] = cursor.split(':');
  return { balance: BigInt(balance), principal };
}

/** The page as JSON text. */
export const holdersText = (page: CursorPage<HolderPosition>): string =>
  cursorPage(page, ({ principal, balance }) => ({ principal, balance: String(balance) }));
