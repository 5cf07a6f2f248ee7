import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { sourceName } from '../../../index/contracts/deployment.ts';
import { readStoredDeployment, readStoredInterface } from '../../../index/contracts/stored.ts';
import {
  ALL_DEPLOYED,
  CONTRACTS_BY_FUNCTION,
  CONTRACTS_BY_SOURCE,
  type DEPLOYMENTS,
} from '../../../index/contracts/tables.ts';
import { functionShapes } from '../../../index/contracts/trait.ts';
import { TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD } from '../../../index/token-metadata/tables.ts';
import type { Check } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { pagedRows, tableRows } from '../pages.ts';

const RECOUNTED = [ALL_DEPLOYED, CONTRACTS_BY_FUNCTION, CONTRACTS_BY_SOURCE, TOKEN_CONTRACTS_BY_STANDARD];

export const contractsCheck: Check = {
  name: 'contracts',
  proves:
    'the lists of all contracts, by function and by source match the canonical deployments, and those of token contracts by standard are complete',
  recounts: RECOUNTED,
  async *run({ index, state, newMap }) {
    const counts = newMap();
    for await (const { record } of canonicalDeployments(index, state.tip?.height ?? 0)) {
      const { source_code: source, abi } = readStoredDeployment(record);
      const functions = abi === null ? undefined : functionShapes(readStoredInterface(abi));
      if (!functions) continue;
      await counts.add(lengthKey(ALL_DEPLOYED, ''), 1);
      await counts.add(lengthKey(CONTRACTS_BY_SOURCE, sourceName(source)), 1);
      for (const { name } of functions) await counts.add(lengthKey(CONTRACTS_BY_FUNCTION, name), 1);
    }
    for await (const { standard } of tableRows(index, TOKEN_CONTRACTS, ['standard']))
      await counts.add(lengthKey(TOKEN_CONTRACTS_BY_STANDARD, standard), 1);
    yield* compareLengths(counts, RECOUNTED, index);
  },
};

type DeploymentRow = RowOf<typeof DEPLOYMENTS, 'contract_id' | 'block' | 'tx_id' | 'has_interface' | 'record'> & {
  /** Number of the canonical block that has it; null where none does. */
  readonly canonical: number | null;
  /** Height of its transaction, where that is canonical. */
  readonly tx_height: number | null;
};

/** Canonical deployments with an interface. One that only a microblock has is canonical while that microblock is on the tip. */
async function* canonicalDeployments(index: Queries, tip: number): AsyncIterable<DeploymentRow> {
  for await (const row of pagedRows<DeploymentRow>(index, {
    sql: `SELECT d.contract_id, d.block, d.tx_id, d.has_interface, d.record, b.seq AS canonical,
      (SELECT max(t.height) FROM txs t WHERE t.tx_id = d.tx_id) AS tx_height
      FROM deployments d
        LEFT JOIN known_blocks k ON k.index_block_hash = d.block
        LEFT JOIN blocks b ON b.seq = k.height - 1 AND b.known = k.arrival`,
    key: ['contract_id', 'block', 'tx_id'],
    alias: 'd',
    pageSize: 100,
  })) {
    const isCanonical = row.block.length > 0 ? row.canonical !== null : (row.tx_height ?? 0) > tip;
    if (row.has_interface === 1 && isCanonical) yield row;
  }
}
