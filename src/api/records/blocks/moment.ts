import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import { burnHeightAt, endOfBlock, txsUpTo } from '../../../index/blocks/canonical-chain.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { badRequest, notFound } from '../../http/errors.ts';
import { findByBlockHash } from './queries.ts';

/** The canonical chain up to a height (docs/spec/addresses.md#moments). */
export interface Moment {
  /** Blocks up to this height count; microblocks on the tip have the height above the tip. */
  readonly height: number;
  /** Transactions below this position among all count. */
  readonly txs: number;
  /** Burn height of the last block that counts; 0 while the chain is empty. */
  readonly burnHeight: number;
  /** Whether everything indexed counts: then rows of the current state are valid for this moment. */
  readonly isNow: boolean;
}

/** The form of a moment in a request. */
interface MomentQuery {
  /** A height in digits, or a block hash with `0x`. An empty text counts as missing. */
  readonly until_block?: string;
  /** Whether microblocks on the tip count. */
  readonly unanchored: boolean;
}

/** The moment of a request; without `until_block`, the tip. Throws the 400 or 404 if `until_block` names no height. */
export async function momentOf(queries: Queries, { until_block, unanchored }: MomentQuery): Promise<Moment> {
  if (until_block !== undefined && unanchored)
    throw badRequest('querystring/until_block must not be given together with unanchored=true');
  const horizon = horizonOf(queries);
  if (horizon) {
    const { height, transactions, burnHeight } = horizon;
    return { height, txs: transactions, burnHeight, isNow: false };
  }
  const asked = until_block ? await heightOf(queries, until_block) : undefined;
  const { tip, microblocks } = await readState(queries);
  if (!tip) return { height: 0, txs: 0, burnHeight: 0, isNow: true };
  const wanted = asked ?? tip.height + (unanchored ? 1 : 0);
  const isTip = wanted >= tip.height;
  const isNow = wanted > tip.height || (isTip && microblocks.length === 0);
  return {
    height: Math.min(wanted, tip.height + 1),
    txs: isNow ? Number.MAX_SAFE_INTEGER : await txsUpTo(queries, wanted),
    burnHeight: isTip ? tip.burnBlockHeight : ((await burnHeightAt(queries, wanted)) ?? 0),
    isNow,
  };
}

/** Everything indexed, microblocks on the tip included. */
export const now = (queries: Queries): Promise<Moment> => momentOf(queries, { unanchored: true });

const BLOCK_HASH = /^0x[0-9a-f]{64}$/i;

/** Reads the leading digits as a height: `12abc` is 12. */
async function heightOf(queries: Queries, text: string): Promise<number> {
  const height = Number.parseInt(text, 10);
  if (height > 0) return height;
  if (!/^0x([0-9a-f]{2})+$/i.test(text)) {
    throw badRequest(`querystring/until_block must be a height above 0 or a block hash with 0x, not "${text}"`);
  }
  const found = BLOCK_HASH.test(text) ? await findByBlockHash(queries, text.toLowerCase()) : undefined;
  if (!found) throw notFound('block not found with hash');
  return 'canonical' in found ? found.canonical.height : found.orphan.height;
}

/**
 * The transactions of a request for a history, as positions in the list of all: those of a moment, or those of the block of a `height`. Height 0 counts as missing;
 * without a block at the height there are no transactions. Throws like momentOf.
 */
export async function spanOf(
  queries: Queries,
  { height = 0, ...query }: MomentQuery & { readonly height?: number },
): Promise<Span> {
  if (height === 0) {
    const { isNow, txs } = await momentOf(queries, query);
    return { from: 0, to: isNow ? Number.POSITIVE_INFINITY : txs };
  }
  if (query.until_block) throw badRequest('querystring/height must not be given together with until_block');
  const end = height > 0 ? await endOfBlock(queries, height) : undefined;
  return end === undefined ? { from: 0, to: 0 } : { from: await txsUpTo(queries, height - 1), to: end };
}
