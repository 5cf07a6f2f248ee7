import { Type } from 'typebox';
import { ClarityValue, count, hash, principal } from '../../http/schema.ts';
import { TransactionSchema } from '../transactions/schema.ts';

const event_index = count('Position among the events of the transaction');
const recipient = principal('Whom the token was minted for');

/** A mint of a non-fungible token; `value` identifies the token. */
export const MintSchema = Type.Object(
  { event_index, value: ClarityValue, tx_id: hash(), recipient },
  { title: 'NftMint' },
);

/** The same with its transaction in place of the id (`tx_metadata=true`). */
export const MintWithTransactionSchema = Type.Object(
  { event_index, value: ClarityValue, tx: TransactionSchema, recipient },
  { title: 'NftMintWithTransaction' },
);
