import type { LISTS } from '../../indexer/tables.ts';
import { toHex } from '../../lib/hex.ts';
import type { TokenStandard } from '../../metadata/token-standards.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { type TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD } from './tables.ts';

/** A contract of the canonical chain that follows a token standard. */
export interface TokenContract {
  readonly contractId: string;
  readonly standard: TokenStandard;
  /** Name of its first fungible asset. */
  readonly ftAsset: string | null;
  readonly txId: string;
  readonly sender: string;
}

type ContractRow = RowOf<typeof TOKEN_CONTRACTS, 'contract_id' | 'ft_asset' | 'tx_id' | 'sender'> & {
  readonly standard: TokenStandard;
};

const COLUMNS = 'c.contract_id, c.standard, c.ft_asset, c.tx_id, c.sender';

export async function findTokenContract(queries: Queries, contractId: string): Promise<TokenContract | undefined> {
  const sql = `SELECT ${COLUMNS} FROM token_contracts c WHERE c.contract_id = ?`;
  const row = await queries.get<ContractRow>(sql, [contractId]);
  return row && contractOf(row);
}

/** Whether an event of the canonical chain has shown the token. @param token decimal number */
export async function isShownToken(queries: Queries, contractId: string, token: string): Promise<boolean> {
  const sql = 'SELECT event FROM tokens WHERE contract_id = ? AND token = ?';
  return (await queries.get(sql, [contractId, token])) !== undefined;
}

/** Every contract of a standard, in the order of deployment. */
export async function tokenContracts(queries: Queries, standard: TokenStandard): Promise<TokenContract[]> {
  const rows = await queries.all<ContractRow>(
    `SELECT ${COLUMNS} FROM lists l
       JOIN token_contract_entries e ON e.list = l.id
       JOIN token_contracts c ON c.contract_id = e.contract_id
      WHERE l.kind = ? AND l.name = ? ORDER BY e.seq`,
    [TOKEN_CONTRACTS_BY_STANDARD.code, standard],
  );
  return rows.map(contractOf);
}

/** Number of contracts by standard; a standard without any is missing. */
export async function countTokenContracts(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const sql = 'SELECT name, length FROM lists WHERE kind = ?';
  const rows = await queries.all<RowOf<typeof LISTS, 'name' | 'length'>>(sql, [TOKEN_CONTRACTS_BY_STANDARD.code]);
  return new Map(rows.map(({ name, length }) => [name, length]));
}

const contractOf = (row: ContractRow): TokenContract => ({
  contractId: row.contract_id,
  standard: row.standard,
  ftAsset: row.ft_asset,
  txId: toHex(row.tx_id),
  sender: row.sender,
});
