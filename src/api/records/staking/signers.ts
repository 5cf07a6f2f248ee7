import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { PAST_SIGNER_STAKERS, type SIGNER_STAKERS, type STAKING_SIGNERS } from '../../../index/staking/tables.ts';
import { endOfBlocks, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { rowsAsOf } from '../../../ingest/indexer/row-versions.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import type { CursorPage } from '../../paging/cursor-page.ts';
import { seekPage } from '../../paging/seek-page.ts';
import { requirePrints } from '../pox/signer-queries.ts';
import { stakingCount } from './bonds.ts';

type Signer = RowOf<typeof STAKING_SIGNERS>;

/** Signer managers by principal, from one on. */
export async function pageOfManagers(
  queries: Queries,
  limit: number,
  from: string | undefined,
  budget: RowBudget,
): Promise<CursorPage<Signer>> {
  await requirePrints(queries, budget);
  const managers = horizonOf(queries) ? managersThen(queries) : 'staking_signers';
  const read = (where: string, order: 'ASC' | 'DESC', signer: string, rows: number) =>
    queries.all<Signer>(
      `SELECT s.signer, s.signing_key, s.tx_id FROM ${managers} s
        WHERE s.signer ${where} ? ORDER BY s.signer ${order} LIMIT ?`,
      [signer, rows],
    );
  const list = {
    total: await stakingCount(queries, 'signers'),
    cursor: ({ signer }: Signer) => signer,
    from: (rows: number) => read('>=', 'ASC', from ?? '', rows),
    before: (row: Signer | undefined, rows: number) => read('<', 'DESC', row?.signer ?? AFTER_ALL, rows),
  };
  return seekPage(list, limit);
}

/** SQL that reads like the table staking_signers and needs an alias: the last registration of each manager at the block that the queries show. */
const managersThen = (queries: Queries): string =>
  `(SELECT k.manager AS signer, k.signing_key, k.tx_id FROM pox_signer_keys k WHERE k.height =
    (SELECT max(r.height) FROM pox_signer_keys r WHERE r.manager = k.manager AND r.height <= ${endOfBlocks(queries)}))`;

/** Sorts after every principal. */
const AFTER_ALL = '~';

export function findManager(queries: Queries, signer: string): Promise<Signer | undefined> {
  const managers = horizonOf(queries) ? managersThen(queries) : 'staking_signers';
  return queries.get<Signer>(`SELECT s.signer, s.signing_key, s.tx_id FROM ${managers} s WHERE s.signer = ?`, [signer]);
}

export const signerManagerV3 = ({ signer, signing_key }: Signer) => ({ signer, signer_key: signing_key });

type Staker = RowOf<typeof SIGNER_STAKERS, 'staker' | 'stx_until' | 'btc_until'>;

/**
 * The current number of a manager's stakers. The table has a row for every height at which the stakes of some of them end.
 * @param burnHeight of the tip
 */
async function countStakers(queries: Queries, signer: string, burnHeight: number): Promise<number> {
  if (horizonOf(queries)) {
    const then = await queries.get<{ total: number }>(
      `SELECT count(*) AS total FROM ${rowsAsOf(PAST_SIGNER_STAKERS, queries)} s
        WHERE s.signer = ? AND (s.stx_until >= ? OR s.btc_until >= ?)`,
      [signer, burnHeight, burnHeight],
    );
    return then?.total ?? 0;
  }
  const row = await queries.get<{ total: number | null }>(
    'SELECT CAST(sum(stakers) AS bigint) AS total FROM signer_staker_counts WHERE signer = ? AND until >= ?',
    [signer, burnHeight],
  );
  return row?.total ?? 0;
}

/** The stakers of a manager by principal, from one on. Reading past stakers whose stake has ended takes from the budget. */
export async function pageOfStakers(
  queries: Queries,
  { signer, burnHeight, budget }: { readonly signer: string; readonly burnHeight: number; readonly budget: RowBudget },
  limit: number,
  from: string | undefined,
): Promise<CursorPage<Staker>> {
  await requirePrints(queries, budget);
  const isStaker = ({ stx_until, btc_until }: Staker): boolean => Math.max(stx_until, btc_until) >= burnHeight;
  const read = (where: string, order: 'ASC' | 'DESC', staker: string, rows: number) =>
    queries.all<Staker>(
      `SELECT s.staker, s.stx_until, s.btc_until FROM ${rowsAsOf(PAST_SIGNER_STAKERS, queries)} s
        WHERE s.signer = ? AND s.staker ${where} ? ORDER BY s.staker ${order} LIMIT ?`,
      [signer, staker, rows],
    );
  const search = async (where: '>' | '>=' | '<', start: string, wanted: number): Promise<Staker[]> => {
    const found: Staker[] = [];
    for (let [condition, at] = [where, start]; found.length < wanted; ) {
      const asked = await budget.take(wanted);
      const rows = await read(condition, where === '<' ? 'DESC' : 'ASC', at, asked);
      found.push(...rows.filter(isStaker));
      const last = rows.at(-1);
      if (!last || rows.length < asked) break;
      [condition, at] = [where === '<' ? '<' : '>', last.staker];
    }
    return found.slice(0, wanted);
  };
  const list = {
    total: await countStakers(queries, signer, burnHeight),
    cursor: ({ staker }: Staker) => staker,
    from: (rows: number) => search('>=', from ?? '', rows),
    before: (row: Staker | undefined, rows: number) => search('<', row?.staker ?? AFTER_ALL, rows),
  };
  return seekPage(list, limit);
}

/** A staker of a manager, and whether it stakes STX, Bitcoin or both with it (docs/spec/staking.md#who-is-with-a-manager). */
export const signerStakerV3 = ({ staker, stx_until, btc_until }: Staker, burnHeight: number) => ({
  staker,
  types: [...(stx_until >= burnHeight ? ['stx'] : []), ...(btc_until >= burnHeight ? ['btc'] : [])],
});
