import type { ListKind } from '../../indexer/tables.ts';
import type { Table } from '../../store/database.ts';

/** Who owns each token that exists: a token that was burned has no row. */
export const NFT_OWNERS: Table = {
  name: 'nft_owners',
  columns: {
    /** Asset identifier. */
    asset: 'text',
    /** Clarity value that identifies the token. */
    token: 'bytes',
    owner: 'text',
  },
  key: ['asset', 'token'],
  indexes: [['asset', 'owner']],
};

/** Mints, by asset (getNftMints). */
export const NFT_MINTS: Table = {
  name: 'nft_mints',
  columns: {
    list: 'int',
    seq: 'int',
    /** Position of the transaction in TXS. */
    tx: 'int',
    /** The mint as it is served. */
    record: 'text',
  },
  key: ['list', 'seq'],
};

/** By asset identifier. */
export const MINTS_BY_ASSET: ListKind = { code: 40, chain: 'stacks', entries: NFT_MINTS, named: true };
