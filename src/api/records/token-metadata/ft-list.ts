import { compareTexts } from '../../../base/lib/compare.ts';
import type { Database } from '../../../base/store/database.ts';
import type { TipSource } from '../../../ingest/chain/tip.ts';
import type { TokenFacts } from '../../../metadata/jobs/stored.ts';
import type { MetadataSource } from '../../../metadata/source.ts';
import { tipVersion } from '../../http/caching.ts';
import { spellBeginning } from '../../http/principals.ts';
import { fungibleDocuments, fungibleTokens, type TokenContract, tokenContracts, withMetadata } from './queries.ts';
import { ftListRecord } from './record.ts';

/** A fungible token of the list. */
export interface FtEntry {
  readonly contract: TokenContract;
  /** Undefined while it was not fetched. */
  readonly token: TokenFacts | undefined;
  readonly hasMetadata: boolean;
  /** In lower case; empty for a token without a name. Likewise `symbol`. */
  readonly name: string;
  readonly symbol: string;
}

interface Read {
  readonly at: number;
  readonly tip: string | undefined;
  readonly entries: Promise<readonly FtEntry[]>;
}

const DEFAULT_MAX_AGE_MS = 1_000;

/**
 * Keeps all fungible tokens of the chain in memory for a short time. Contracts and names are in two databases, so this class matches them. There are some
 * thousands, too many to read for every request. It reads them again when the tip has changed, or when the last read is too old.
 */
export class FtDirectory {
  readonly #index: Database;
  readonly #metadata: MetadataSource;
  readonly #tip: TipSource;
  readonly #now: () => number;
  #last: Read | undefined;

  constructor(index: Database, metadata: MetadataSource, tip: TipSource, now = (): number => performance.now()) {
    this.#index = index;
    this.#metadata = metadata;
    this.#tip = tip;
    this.#now = now;
  }

  /** In the order of deployment. */
  entries(): Promise<readonly FtEntry[]> {
    const current = this.#tip.current();
    const tip = current && tipVersion(current);
    const { ftListMaxAgeMs = DEFAULT_MAX_AGE_MS } = this.#metadata;
    const last = this.#last;
    if (last && last.tip === tip && this.#now() - last.at < ftListMaxAgeMs) return last.entries;
    const read: Read = { at: this.#now(), tip, entries: this.#read() };
    this.#last = read;
    // Concurrent requests share the failure; the next request tries again.
    read.entries.catch(() => {
      if (this.#last === read) this.#last = undefined;
    });
    return read.entries;
  }

  async #read(): Promise<readonly FtEntry[]> {
    const contracts = await this.#index.read(queries => tokenContracts(queries, 'sip-010'));
    const ids = contracts.map(({ contractId }) => contractId);
    return this.#metadata.db.read(async queries => {
      const tokens = await fungibleTokens(queries, ids);
      const valid = await withMetadata(queries, ids);
      return contracts.map(contract => entryOf(contract, tokens.get(contract.contractId), valid));
    });
  }
}

function entryOf(contract: TokenContract, token: TokenFacts | undefined, valid: ReadonlySet<string>): FtEntry {
  const hasMetadata = valid.has(contract.contractId);
  return { contract, token, hasMetadata, name: fold(token?.name), symbol: fold(token?.symbol) };
}

/** A text in the form used for comparisons: letter case does not matter. */
const fold = (text: string | null | undefined): string => (text ?? '').toLowerCase();

interface FtQuery {
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

/** A page of the fungible tokens, one record a contract, and their number. */
export async function listFungibleTokens(
  directory: FtDirectory,
  metadata: MetadataSource,
  query: FtQuery,
): Promise<{ total: number; records: string[] }> {
  const matching = (await directory.entries()).filter(matches(query)).sort(by(query));
  const page = matching.slice(query.offset, query.offset + query.limit);
  return { total: matching.length, records: await ftRecords(metadata, page) };
}

/** Tokens of the list as they are served. */
export async function ftRecords(
  { db, imagesUrl }: MetadataSource,
  entries: readonly Pick<FtEntry, 'contract' | 'token'>[],
): Promise<string[]> {
  const ids = entries.map(({ contract }) => contract.contractId);
  const documents = await db.read(queries => fungibleDocuments(queries, ids));
  return entries.map(({ contract, token }) =>
    ftListRecord(contract, token, documents.get(contract.contractId), imagesUrl),
  );
}

/** Empty filters do not filter. */
function matches({ name, symbol, address = '', valid_metadata_only }: FtQuery): (entry: FtEntry) => boolean {
  const beginning = spellBeginning(address);
  const [wantedName, wantedSymbol] = [fold(name), fold(symbol)];
  return entry =>
    (entry.hasMetadata || !valid_metadata_only) &&
    entry.contract.contractId.startsWith(beginning) &&
    entry.name.includes(wantedName) &&
    (wantedSymbol === '' || entry.symbol === wantedSymbol);
}

/** Compares by code unit without regard to letter case. Tokens without the text come last in both orders; equal ones are ordered by contract id. */
function by({ order_by, order }: FtQuery): (a: FtEntry, b: FtEntry) => number {
  const sign = order === 'asc' ? 1 : -1;
  return (a, b) => {
    const [left, right] = [a[order_by], b[order_by]];
    if (left !== right && (left === '' || right === '')) return left === '' ? 1 : -1;
    return sign * compareTexts(left, right) || compareTexts(a.contract.contractId, b.contract.contractId);
  };
}
