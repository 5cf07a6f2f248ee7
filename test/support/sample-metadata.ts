import type { Database } from '../../src/base/store/database.ts';
import { upsertRows } from '../../src/base/store/table.ts';
import { STANDARDS } from '../../src/index/token-metadata/standard.ts';
import { type MetadataDocument, storedText } from '../../src/metadata/document/document.ts';
import { METADATA_CONTRACTS, METADATA_DOCUMENTS, METADATA_JOBS, METADATA_TOKENS } from '../../src/metadata/tables.ts';

interface TokenParts {
  readonly uri?: string | null;
  readonly name?: string | null;
  readonly symbol?: string | null;
  readonly decimals?: number | null;
  readonly totalSupply?: string | null;
}

interface DocumentParts {
  readonly locale?: string;
  /** Of a default document: what its locale is called. */
  readonly localeName?: string | null;
  readonly cachedImage?: string | null;
  readonly cachedThumbnail?: string | null;
}

/** Writes what the metadata pipeline would have stored. */
export class SampleMetadata {
  readonly #db: Database;
  readonly #index: Database;
  #version = 0;

  /** @param index where its tokens are, if that is another database */
  constructor(db: Database, index: Database = db) {
    this.#db = db;
    this.#index = index;
  }

  /** The token was read from its contract. */
  async token(contractId: string, token: string, parts: TokenParts = {}): Promise<void> {
    const { uri = null, name = null, symbol = null, decimals = null, totalSupply = null } = parts;
    const row = {
      contract_id: contractId,
      token,
      version: ++this.#version,
      uri,
      name,
      symbol,
      decimals,
      total_supply: totalSupply,
      updated_at: 1_700_000_000_000,
    };
    await this.#db.write(tx => upsertRows(tx, METADATA_TOKENS, [row]));
  }

  async document(
    contractId: string,
    token: string,
    { description = '', image = '', ...document }: Partial<MetadataDocument> & { readonly name: string },
    { locale = '', localeName = null, cachedImage = null, cachedThumbnail = null }: DocumentParts = {},
  ): Promise<void> {
    const row = {
      contract_id: contractId,
      token,
      locale,
      locale_name: localeName,
      name: document.name,
      document: storedText({ description, image, ...document }),
      cached_image: cachedImage,
      cached_thumbnail: cachedThumbnail,
    };
    await this.#db.write(tx => upsertRows(tx, METADATA_DOCUMENTS, [row]));
  }

  /** How the work on a token (or, with an empty one, a contract) stands. */
  async job(
    contractId: string,
    token: string,
    kind: string,
    state: string,
    reason: number | null = null,
  ): Promise<void> {
    const row = {
      contract_id: contractId,
      token,
      kind,
      state,
      reason,
      error: null,
      attempts: 0,
      priority: 1,
      run_after: 0,
      owner: null,
      cause: 'test',
      updated_at: 0,
    };
    await this.#db.write(tx => upsertRows(tx, METADATA_JOBS, [row]));
  }

  async lastToken(contractId: string, last: string | null): Promise<void> {
    await this.#db.write(tx =>
      upsertRows(tx, METADATA_CONTRACTS, [{ contract_id: contractId, last_token_id: last, updated_at: 0 }]),
    );
  }

  /** Gives every token of the index metadata. @returns paths that show some of it */
  async fill(): Promise<string[]> {
    const tokens = await this.#index.read(queries =>
      queries.all<{ contract_id: string; token: string; standard: string }>(
        'SELECT t.contract_id, t.token, c.standard FROM tokens t JOIN token_contracts c ON c.contract_id = t.contract_id',
      ),
    );
    const paths: string[] = [];
    for (const { contract_id, token, standard } of tokens) {
      await this.token(contract_id, token, {
        uri: `ipfs://tokens/${token}.json`,
        name: 'Coin',
        symbol: 'COIN',
        decimals: 6,
        totalSupply: '1000000',
      });
      await this.document(contract_id, token, { ...WHOLE_DOCUMENT, name: `Token ${token}` }, { localeName: 'en' });
      const path = standard === 'sip-010' ? `ft/${contract_id}` : `${PATHS[standard]}/${contract_id}/${token}`;
      for (const prefix of ['/metadata/v1/', '/metadata/']) {
        paths.push(`${prefix}${path}?locale=en`);
        if (standard === 'sip-010') paths.push(`${prefix}${path}/lookalikes`);
      }
    }
    const lists = ['/metadata/v1/ft', '/metadata/ft'].map(
      path => `${path}?name=coin&symbol=COIN&address=S&valid_metadata_only=true`,
    );
    const several = STANDARDS.flatMap(name => tokens.filter(({ standard }) => standard === name).slice(0, 16)).map(
      ({ contract_id, token }) => `${contract_id}:${token}`,
    );
    const searches = ['/metadata/v1/search', '/metadata/search'].map(
      path => `${path}?contract=${several.join(',')}&locale=en`,
    );
    return [...paths, ...lists, ...(several.length > 0 ? searches : [])];
  }
}

/** With all that a document can have. */
const WHOLE_DOCUMENT: Omit<MetadataDocument, 'name'> = {
  description: 'A token',
  image: 'ipfs://tokens/image.png',
  attributes: [{ trait_type: 'strength', value: 105, display_type: 'number' }],
  properties: { collection: 'Samples' },
  localization: { uri: 'ipfs://tokens/{locale}.json', default: 'en', locales: ['en'] },
};

const PATHS: Readonly<Record<string, string>> = { 'sip-009': 'nft', 'sip-013': 'sft' };
