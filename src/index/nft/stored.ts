/** The door to the records of mints: getNftMints serves their texts unread. */
import type { mintRecord } from './projection.ts';

/** The mint of a column `record` of NFT_MINTS. */
export const readMint = (record: string): ReturnType<typeof mintRecord> =>
  JSON.parse(record) as ReturnType<typeof mintRecord>;
