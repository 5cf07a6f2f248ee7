import { addressOrContract, flag, integer, limit, offset, untilBlock } from '../../../../../http/params.ts';
import { failure } from '../../../../../http/schema.ts';
import { Type } from '../../../../../http/type.ts';
import { at } from '../../../../../paging/as-of.ts';
import { ADDRESS } from '../../../../examples.ts';

/** The principal that a history is of. */
export const HISTORY_PARAMS = Type.Object({ principal: addressOrContract(ADDRESS) });

const MOMENT = {
  until_block: untilBlock(),
  unanchored: flag('Whether to include what only a microblock on the tip has.'),
};

/** A page of a history, up to a block. */
export const historyQuery = (maximum: number) => ({
  limit: limit(maximum, 20),
  offset: offset(),
  ...MOMENT,
  at: at(),
});

/** The same, or only the transactions of one block. */
export const historyOfBlockQuery = (maximum: number) => ({
  ...historyQuery(maximum),
  height: Type.Optional(
    integer('Only the block of this height; not together with `until_block`. 0 means all.', {}, 114),
  ),
});

/** Members of histories besides their pages. */
export const HISTORY_FAILURES = { 404: failure('No block has the hash of `until_block`') };
