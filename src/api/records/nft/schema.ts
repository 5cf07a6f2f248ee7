import { assetId, ClarityValueSchema, count, hash, nullable, principal, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { TransactionSchemaV1 } from '../transactions/schema.ts';
import { BitcoinBlockPositionSchemaV3, BlockPositionSchemaV3 } from '../transactions/schema-v3.ts';

const event_index = count('Position among the events of the transaction');
const recipient = principal('The recipient of the mint');

/** A mint of a non-fungible token; `value` identifies the token. */
export const MintSchemaV1 = Type.Object(
  { event_index, value: ClarityValueSchema, tx_id: hash(), recipient },
  { title: 'NftMint' },
);

/** The same with its transaction in place of the id (`tx_metadata=true`). */
export const MintWithTransactionSchemaV1 = Type.Object(
  { event_index, value: ClarityValueSchema, tx: TransactionSchemaV1, recipient },
  { title: 'NftMintWithTransaction' },
);

const holding = {
  asset_identifier: assetId(),
  value: ClarityValueSchema,
  block_height: count('Of the block that gave it'),
};

/** A token that a principal owns. */
export const HoldingSchemaV1 = Type.Object({ ...holding, tx_id: hash() }, { title: 'NftHolding' });

/** The same with its transaction in place of the id (`tx_metadata=true`). */
export const HoldingWithTransactionSchemaV1 = Type.Object(
  { ...holding, tx: TransactionSchemaV1 },
  { title: 'NftHoldingWithTransaction' },
);

const parties = {
  asset_event_type: word(['transfer', 'mint', 'burn']),
  sender: nullable(principal(), 'Null for a mint'),
  recipient: nullable(principal(), 'Null for a burn'),
};
const move = { event_index, ...parties };

/** An event of a token. */
export const TokenEventSchemaV1 = Type.Object({ ...move, tx_id: hash() }, { title: 'NftEvent' });

/** The same with its transaction in place of the id (`tx_metadata=true`). */
export const TokenEventWithTransactionSchemaV1 = Type.Object(
  { ...move, tx: TransactionSchemaV1 },
  { title: 'NftEventWithTransaction' },
);

/** A collection of non-fungible tokens. */
export const CollectionSchemaV3 = Type.Object(
  {
    asset_identifier: assetId(),
    items: count('Tokens that exist'),
    owners: count('Principals that own at least one of them'),
    mints: count('Tokens that were minted, burned ones included'),
  },
  { title: 'NftCollection' },
);

/** A token of a collection. */
export const ItemSchemaV3 = Type.Object({ value: ClarityValueSchema, owner: principal() }, { title: 'NftItem' });

/** An event of a token in the form of version 3. */
export const TokenHistorySchemaV3 = Type.Object(
  {
    ...parties,
    transaction: Type.Object({ tx_id: hash(), event_index }, { title: 'EventOfTransaction' }),
    block: BlockPositionSchemaV3,
    bitcoin_block: BitcoinBlockPositionSchemaV3,
  },
  { title: 'NftHistoryEvent' },
);
