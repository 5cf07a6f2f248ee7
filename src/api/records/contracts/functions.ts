import type { Queries } from '../../../base/store/database.ts';
import { inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type FunctionOf, findInInterface } from '../../../index/contracts/functions.ts';
import type { CONTRACTS } from '../../../index/contracts/tables.ts';
import { orphanedInterface } from './queries.ts';

/**
 * The same for a request: the interfaces of these contracts as they are now, for calls that no block has yet. A contract
 * that only orphaned blocks have is known by the interface it had there, as getContractById shows it.
 */
export async function functionsOfContractsNow(queries: Queries, contractIds: readonly string[]): Promise<FunctionOf> {
  const interfaces = new Map<string, string | null>();
  for (const { list, values } of inLists(contractIds)) {
    const sql = `SELECT contract_id, interface FROM contracts WHERE contract_id IN ${list}`;
    const rows = await queries.all<RowOf<typeof CONTRACTS, 'contract_id' | 'interface'>>(sql, values);
    for (const row of rows) interfaces.set(row.contract_id, row.interface);
  }
  for (const contractId of contractIds) {
    if (typeof interfaces.get(contractId) !== 'string')
      interfaces.set(contractId, await orphanedInterface(queries, contractId));
  }
  return (contractId, functionName) => {
    const text = interfaces.get(contractId);
    return typeof text === 'string' ? findInInterface(text, functionName) : undefined;
  };
}
