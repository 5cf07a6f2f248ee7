import type { MetadataSource } from '../../metadata/source.ts';
import { fungibleDocuments } from './fetched.ts';
import { type FtDirectory, type FtEntry, fold } from './ft-directory.ts';
import { ftListRecord } from './record.ts';

export interface FtQuery {
  /** Part of the name, in any letter case. */
  readonly name?: string;
  /** The symbol, in any letter case. */
  readonly symbol?: string;
  /** Beginning of the contract id. */
  readonly address?: string;
  readonly valid_metadata_only: boolean;
  readonly offset: number;
  readonly limit: number;
  readonly order_by: 'name' | 'symbol';
  readonly order: 'asc' | 'desc';
}

/** A page of the fungible tokens, one record a contract, and their number (token-metadata.md 1.8). */
export async function listFungibleTokens(
  directory: FtDirectory,
  { db, imagesUrl }: MetadataSource,
  query: FtQuery,
): Promise<{ total: number; records: string[] }> {
  const matching = (await directory.entries()).filter(matches(query)).sort(by(query));
  const page = matching.slice(query.offset, query.offset + query.limit);
  const ids = page.map(({ contract }) => contract.contractId);
  const documents = await db.read(queries => fungibleDocuments(queries, ids));
  const records = page.map(({ contract, token }) =>
    ftListRecord(contract, token, documents.get(contract.contractId), imagesUrl),
  );
  return { total: matching.length, records };
}

/** Empty filters are none. */
function matches({ name, symbol, address = '', valid_metadata_only }: FtQuery): (entry: FtEntry) => boolean {
  const [wantedName, wantedSymbol] = [fold(name), fold(symbol)];
  return entry =>
    (entry.hasMetadata || !valid_metadata_only) &&
    entry.contract.contractId.startsWith(address) &&
    entry.name.includes(wantedName) &&
    (wantedSymbol === '' || entry.symbol === wantedSymbol);
}

/** In any letter case, by code unit; what has no such text comes last in either order; equal ones by contract id. */
function by({ order_by, order }: FtQuery): (a: FtEntry, b: FtEntry) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const [left, right] = [a[order_by], b[order_by]];
    if (left !== right && (left === '' || right === '')) return left === '' ? 1 : -1;
    return sign * compare(left, right) || compare(a.contract.contractId, b.contract.contractId);
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
