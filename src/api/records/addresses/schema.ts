import type { TProperties } from 'typebox';
import { amount, assetId, ClarityValueSchema, count, hash, principal } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { TransactionSchemaV1 } from '../transactions/schema.ts';

const counts = (asset: string) =>
  Type.Object(
    { transfer: count(), mint: count(), burn: count() },
    { description: `How many events move ${asset} from or to the principal; one from it to itself counts once` },
  );

/** A transaction of a principal, and the principal's part in it. */
export const AddressTransactionSchemaV2 = Type.Object(
  {
    tx: TransactionSchemaV1,
    stx_sent: amount('Micro-STX that left the principal, with the fee where it paid it'),
    stx_received: amount('Micro-STX that came to the principal; rewards of miners are not part of it'),
    events: Type.Object({ stx: counts('STX'), ft: counts('fungible tokens'), nft: counts('non-fungible tokens') }),
  },
  { title: 'AddressTransaction' },
);

/** A moved asset: a mint has no sender, a burn no recipient. */
const moves = (asset: TProperties) =>
  Type.Union([
    Type.Object({ type: Type.Literal('transfer'), ...asset, sender: principal(), recipient: principal() }),
    Type.Object({ type: Type.Literal('mint'), ...asset, recipient: principal() }),
    Type.Object({ type: Type.Literal('burn'), ...asset, sender: principal() }),
  ]);

const event = (title: string, type: 'stx' | 'ft' | 'nft', asset: TProperties) =>
  Type.Object(
    {
      type: Type.Literal(type),
      event_index: count('Position among all events of the transaction, so that numbers can be missing'),
      data: moves(asset),
    },
    { title },
  );

/** An event that moved something from or to the principal. */
export const AddressEventSchemaV2 = Type.Union(
  [
    event('AddressStxEvent', 'stx', { amount: amount() }),
    event('AddressFungibleTokenEvent', 'ft', {
      amount: amount('In the smallest unit of the token'),
      asset_identifier: assetId(),
    }),
    event('AddressNonFungibleTokenEvent', 'nft', { asset_identifier: assetId(), value: ClarityValueSchema }),
  ],
  { title: 'AddressEvent' },
);

const OWNED = {
  balance: amount('Micro-STX, with those that are locked; below zero where the index does not know all blocks', true),
  total_miner_rewards_received: amount(),
  lock_tx_id: Type.Union([hash(), Type.Literal('')], { description: 'Empty while nothing is locked' }),
  locked: amount(),
  lock_height: count('Of the block that locked it; 0 while nothing is locked'),
  burnchain_lock_height: count('The same on the burn chain'),
  burnchain_unlock_height: count('Burn height at which the lock ends'),
};

/** The STX of a principal (see AddressBalance). */
export const STX_BALANCE = {
  ...OWNED,
  total_sent: amount(),
  total_received: amount('Micro-STX; rewards of miners are not part of it'),
  total_fees_sent: amount(),
};

/** The effect of pending transactions. */
export const PENDING_BALANCE = {
  estimated_balance: amount('The balance after all pending transactions', true),
  pending_balance_inbound: amount('Sum of pending incoming transfers'),
  pending_balance_outbound: amount(
    'Sum of pending outgoing transfers, and the fees of all pending transactions that it pays for',
  ),
};

/** The same for responses that may leave it out. */
const SOMETIMES_PENDING = {
  estimated_balance: Type.Optional(PENDING_BALANCE.estimated_balance),
  pending_balance_inbound: Type.Optional(PENDING_BALANCE.pending_balance_inbound),
  pending_balance_outbound: Type.Optional(PENDING_BALANCE.pending_balance_outbound),
};

/** The STX of a principal as getAccountStxBalanceV1 serves it: balances at a block leave out pending transactions. */
export const StxBalanceSchemaV1 = Type.Object({ ...STX_BALANCE, ...SOMETIMES_PENDING }, { title: 'StxBalance' });

/** The same as getPrincipalStxBalanceV2 serves it. */
export const PrincipalStxBalanceSchemaV2 = Type.Object(
  { ...OWNED, ...SOMETIMES_PENDING },
  { title: 'PrincipalStxBalance' },
);
