import Type, { type TProperties } from 'typebox';
import { amount, assetId, ClarityValue, count, principal } from '../../http/schema.ts';
import { TransactionSchema } from '../transactions/schema.ts';

const counts = (asset: string) =>
  Type.Object(
    { transfer: count(), mint: count(), burn: count() },
    { description: `How many events move ${asset} from or to the principal; one from it to itself counts once` },
  );

/** A transaction of a principal, and the principal's part in it. */
export const AddressTransactionSchema = Type.Object(
  {
    tx: TransactionSchema,
    stx_sent: amount('Micro-STX that left the principal, with the fee where it paid it'),
    stx_received: amount('Micro-STX that came to the principal; rewards of miners are not part of it'),
    events: Type.Object({ stx: counts('STX'), ft: counts('fungible tokens'), nft: counts('non-fungible tokens') }),
  },
  { title: 'AddressTransaction' },
);

/** What moved: a mint has no sender, a burn no recipient. */
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
export const AddressEventSchema = Type.Union(
  [
    event('AddressStxEvent', 'stx', { amount: amount() }),
    event('AddressFungibleTokenEvent', 'ft', {
      amount: amount('In the smallest unit of the token'),
      asset_identifier: assetId(),
    }),
    event('AddressNonFungibleTokenEvent', 'nft', { asset_identifier: assetId(), value: ClarityValue }),
  ],
  { title: 'AddressEvent' },
);
