import type { Span } from '../../base/lib/span.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { hashesAt } from '../../index/blocks/canonical-chain.ts';
import { type BLOCKS, CANONICAL_BLOCKS } from '../../index/blocks/tables.ts';
import { firstReaching } from '../../ingest/indexer/lists.ts';
import type { Pin, PinnedRead } from './pinned-reads.ts';

/**
 * The whole blocks that one file of an exported list covers. Part n has the blocks whose first transaction is in the n-th hundred thousand. So it
 * ends with a block, whose hash identifies the contents of the part:
 *
 *     transactions   0 ........ 99,998  100,003 ........ 200,001 .....
 *     blocks        [1]  ...    [8,120] [8,121]  ...     [15,730] ...
 *                    part 0             part 1            part 2
 */
export interface PartSpan {
  readonly number: number;
  readonly firstHeight: number;
  readonly lastHeight: number;
  /** Hash of the block at `lastHeight`; 0x hex. */
  readonly lastIndexBlockHash: string;
  /** Positions in the list of all transactions. */
  readonly transactions: Span;
}

/** The parts of the chain up to a pin, each of `size` transactions or a few more. A number is missing where a single block has all transactions of a part. */
export function partSpans(read: PinnedRead, pin: Pin, size: number): Promise<PartSpan[]> {
  return read(async queries => {
    const count = Math.ceil(pin.transactions / size) + 1;
    const bounds = Array.from({ length: count }, (_, number) => number * size);
    const firsts = await firstReaching(
      queries,
      CANONICAL_BLOCKS,
      { id: 0, length: pin.height },
      'e.first_tx',
      bounds.map(bound => ({ bound, from: 0, to: pin.height })),
    );
    const spans = bounds.flatMap((bound, number) => {
      const [from = 0, to = pin.height] = [firsts.get(bound), firsts.get(bound + size)];
      return from < to ? [{ number, from, to }] : [];
    });
    const [hashes, starts] = await Promise.all([
      hashesAt(
        queries,
        spans.map(({ to }) => to - 1),
      ),
      firstTransactions(queries, spans),
    ]);
    return spans.map(({ number, from, to }) => ({
      number,
      firstHeight: from + 1,
      lastHeight: to,
      lastIndexBlockHash: hashes.get(to - 1) ?? '',
      transactions: { from: starts.get(from) ?? 0, to: starts.get(to) ?? pin.transactions },
    }));
  });
}

/** The positions of the first transactions of the blocks with which spans begin, by the number of the block. */
async function firstTransactions(queries: Queries, spans: readonly Span[]): Promise<Map<number, number>> {
  const rows = await allIn<RowOf<typeof BLOCKS, 'seq' | 'first_tx'>>(
    queries,
    list => `SELECT seq, first_tx FROM blocks WHERE seq IN ${list}`,
    spans.map(({ from }) => from),
  );
  return new Map(rows.map(({ seq, first_tx }) => [seq, first_tx]));
}

/** All of the chain up to a pin, for lists that are written anew each time. */
export const wholeSpan = ({ height, indexBlockHash, transactions }: Pin): PartSpan => ({
  number: 0,
  firstHeight: 1,
  lastHeight: height,
  lastIndexBlockHash: indexBlockHash,
  transactions: { from: 0, to: transactions },
});
