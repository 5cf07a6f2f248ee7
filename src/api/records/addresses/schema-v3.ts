import { amount, assetId, count, hash, nullable, principal } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { BlockPositionSchemaV3, MemoSchemaV3 } from '../transactions/schema-v3.ts';

/** An event that moved STX. */
export const StxTransferSchemaV3 = Type.Object(
  {
    sender: nullable(principal(), 'Null for a mint'),
    recipient: nullable(principal(), 'Null for a burn'),
    amount: amount(),
    memo: nullable(MemoSchemaV3, 'Null without one; for a bulk send the printed memo'),
    transaction: Type.Object(
      { tx_id: hash(), event_index: count('Position among the events of the transaction') },
      { title: 'EventOfTransaction' },
    ),
    block: BlockPositionSchemaV3,
  },
  { title: 'StxTransfer' },
);

const asset = Type.Union(
  [
    Type.Object({ type: Type.Literal('stx') }, { title: 'StxOfChange' }),
    Type.Object({ type: Type.Literal('ft'), identifier: assetId() }, { title: 'FungibleTokenOfChange' }),
    Type.Object({ type: Type.Literal('nft'), identifier: assetId() }, { title: 'NonFungibleTokensOfChange' }),
  ],
  { title: 'AssetOfChange' },
);

const balance_change = Type.Object(
  {
    sent: amount('In the smallest unit, or tokens; of STX with the fee where the principal paid it'),
    received: amount('Likewise'),
    net: amount('Received less sent', true),
  },
  { title: 'Change' },
);

export const BalanceChangeSchemaV3 = Type.Object({ asset, balance_change }, { title: 'BalanceChange' });

export const BalanceChangeOfTransactionSchemaV3 = Type.Object(
  { tx_id: hash(), asset, balance_change },
  { title: 'BalanceChangeOfTransaction' },
);
