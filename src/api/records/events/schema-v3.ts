import Type from 'typebox';
import { amount, count, hash, nullable, principal } from '../../http/schema.ts';
import { BlockPosition } from '../transactions/schema-v3.ts';

/** An event that moved a token. */
export const FtTransferSchema = Type.Object(
  {
    sender: nullable(principal(), 'Null for a mint'),
    recipient: nullable(principal(), 'Null for a burn'),
    amount: amount('In the smallest unit'),
    transaction: Type.Object({ tx_id: hash(), event_index: count('Position among the events of the transaction') }),
    block: BlockPosition,
  },
  { title: 'FtTransfer' },
);
