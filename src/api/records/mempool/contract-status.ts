import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import type { StoredTransaction } from '../../../index/transactions/stored.ts';
import { TX_TYPES } from '../../../index/transactions/tables.ts';
import { endOfTransactions, horizonOf } from '../../../ingest/indexer/horizon.ts';
import { storedAt } from '../transactions/queries.ts';

/** The state of the deployment of a contract, keys in emitted order. */
interface ContractStatus {
  readonly status: string;
  readonly tx_id: string;
  readonly contract_id: string;
  /** Absent for a pending deployment. */
  readonly block_height?: number;
}

/**
 * For each of these contracts, the newest canonical deployment (failed ones included), else the pending one with the
 * lowest nonce. Contracts without a deployment are left out (docs/spec/contracts.md#contract-status).
 */
export async function contractStatuses(
  queries: Queries,
  contractIds: readonly string[],
): Promise<Map<string, ContractStatus>> {
  const statuses = await deployed(queries, contractIds);
  const others = contractIds.filter(id => !statuses.has(id));
  return others.length === 0 || horizonOf(queries)
    ? statuses
    : new Map([...statuses, ...(await pending(queries, others))]);
}

async function deployed(queries: Queries, contractIds: readonly string[]): Promise<Map<string, ContractStatus>> {
  const newest = await allIn<{ contract_id: string; tx: number }>(
    queries,
    list =>
      `SELECT d.contract_id, max(t.seq) AS tx FROM deployments d JOIN txs t ON t.tx_id = d.tx_id
        WHERE t.seq + 0 < ? AND d.contract_id IN ${list} GROUP BY d.contract_id`,
    contractIds,
    [endOfTransactions(queries)],
  );
  const stored = await storedAt(
    queries,
    newest.map(({ tx }) => tx),
  );
  return new Map(newest.map(({ contract_id, tx }) => [contract_id, statusOf(contract_id, stored.get(tx))]));
}

function statusOf(contract_id: string, tx: StoredTransaction | undefined): ContractStatus {
  if (tx === undefined) throw new Error(`the transaction that deployed ${contract_id} has no record`);
  return { status: tx.status, tx_id: tx.txId, contract_id, block_height: tx.blockHeight };
}

async function pending(queries: Queries, contractIds: readonly string[]): Promise<Map<string, ContractStatus>> {
  const rows = await allIn<RowOf<typeof PENDING_TXS, 'tx_id'> & { readonly contract: string }>(
    queries,
    list =>
      `SELECT tx_id, contract FROM pending_txs
        WHERE contract IN ${list} AND type = ${TX_TYPES.smart_contract} AND streamed = 0 ORDER BY nonce DESC`,
    contractIds,
  );
  // The last row of a contract counts, which has the lowest nonce.
  return new Map(
    rows.map(({ tx_id, contract }) => [contract, { status: 'pending', tx_id: toHex(tx_id), contract_id: contract }]),
  );
}
