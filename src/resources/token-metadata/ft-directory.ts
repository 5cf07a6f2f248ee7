import type { TipSource } from '../../chain/tip.ts';
import { tipVersion } from '../../http/caching.ts';
import type { TokenFacts } from '../../metadata/jobs/stored.ts';
import type { MetadataSource } from '../../metadata/source.ts';
import type { Database } from '../../store/database.ts';
import { fungibleTokens, withMetadata } from './fetched.ts';
import { type TokenContract, tokenContracts } from './queries.ts';

/** A fungible token of the list. */
export interface FtEntry {
  readonly contract: TokenContract;
  /** Undefined while it was not fetched. */
  readonly token: TokenFacts | undefined;
  readonly hasMetadata: boolean;
  /** In lower case; empty when there is none. */
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
 * All fungible tokens of the chain, in memory for a moment. Contracts and names are in two databases, so they are matched here;
 * there are some thousands, too many to read for every request. Read anew when the tip moves, or the last reading is too old.
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
    // A failure is for those who asked meanwhile; the next one tries again.
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

/** A text as it is compared: letter case does not matter. */
export const fold = (text: string | null | undefined): string => (text ?? '').toLowerCase();
