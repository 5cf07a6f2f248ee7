import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { sourceName } from '../../../index/contracts/source.ts';
import { type CONTRACT_FUNCTIONS, CONTRACTS_BY_SOURCE, type DEPLOYED } from '../../../index/contracts/tables.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import type { CursorList } from '../../paging/cursor-page.ts';
import { findDeployed } from './queries.ts';

type Twin = RowOf<typeof CONTRACT_FUNCTIONS, 'seq'> & RowOf<typeof DEPLOYED, 'contract_id' | 'tx_id'>;

/**
 * The contracts whose source is that of a contract, itself included, in the order of their deployment (docs/spec/contracts.md#same-source);
 * undefined where there is no such contract.
 */
export async function twinsOf(queries: Queries, contractId: string): Promise<CursorList<Twin> | undefined> {
  const contract = await findDeployed(queries, contractId);
  if (!contract) return undefined;
  const list = await findList(queries, CONTRACTS_BY_SOURCE, sourceName(contract.source_code));
  return {
    length: list?.length ?? 0,
    rows: (from, to) =>
      queries.all<Twin>(
        `SELECT e.seq, d.contract_id, d.tx_id FROM contract_functions e JOIN deployed d ON d.seq = e.contract
          WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq`,
        [list?.id ?? null, from, to],
      ),
    cursors: rows => rows.map(({ seq }) => String(seq)),
  };
}
