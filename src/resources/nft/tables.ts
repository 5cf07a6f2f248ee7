import { listKind } from '../../indexer/tables.ts';
import { table } from '../../store/table.ts';

/** Who owns each token that exists: a token that was burned has no row. */
export const NFT_OWNERS = table({
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
});

/** Mints, by asset (getNftMints). */
export const NFT_MINTS = table({
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
});

/** By asset identifier. */
export const MINTS_BY_ASSET = listKind({ code: 40, chain: 'stacks', entries: NFT_MINTS, named: true });
