/** The schema of what `eventV1` gives. */
import type { TProperties } from 'typebox';
import {
  amount,
  assetId,
  ClarityValueSchema,
  contractId,
  count,
  hash,
  hexString,
  principal,
  word,
} from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const event = <T extends string, P extends TProperties>(title: string, type: T, properties: P, description: string) =>
  Type.Object(
    {
      event_index: count('Position among the events of the transaction'),
      event_type: Type.Literal(type),
      tx_id: hash(),
      ...properties,
    },
    { title, description },
  );

/** The former and the new owner; a missing party is an empty string here. */
const movedAsset = <P extends TProperties>(asset: P) => ({
  asset: Type.Object({ asset_event_type: word(['transfer', 'mint', 'burn']), ...asset }),
});
const party = (description: string) => Type.Union([principal(), Type.Literal('')], { description });
const parties = () => ({ sender: party('Empty for a mint'), recipient: party('Empty for a burn') });
const tokens = () => amount('In the smallest unit of the token');

/** A print of a contract. */
export const ContractLogSchemaV1 = event(
  'ContractLogEvent',
  'smart_contract_log',
  {
    contract_log: Type.Object({
      contract_id: contractId(),
      topic: Type.String({ examples: ['print'] }),
      value: ClarityValueSchema,
    }),
  },
  'What a contract printed',
);

/** An event of a transaction; the kinds have `event_type` for a discriminator (docs/spec/transactions.md#events). */
export const EventSchemaV1 = Type.Union(
  [
    ContractLogSchemaV1,
    event(
      'StxLockEvent',
      'stx_lock',
      {
        stx_lock_event: Type.Object({
          locked_amount: amount(),
          unlock_height: count('Burn block height'),
          locked_address: principal(),
        }),
      },
      'STX locked by stacking',
    ),
    event(
      'StxAssetEvent',
      'stx_asset',
      movedAsset({ ...parties(), amount: amount(), memo: Type.Optional(hexString('Of a transfer that has one')) }),
      'STX transferred, minted or burnt',
    ),
    event(
      'FungibleTokenEvent',
      'fungible_token_asset',
      movedAsset({ asset_id: assetId(), ...parties(), amount: tokens() }),
      'Fungible tokens transferred, minted or burnt',
    ),
    event(
      'NonFungibleTokenEvent',
      'non_fungible_token_asset',
      movedAsset({ asset_id: assetId(), ...parties(), value: ClarityValueSchema }),
      'A non-fungible token transferred, minted or burnt',
    ),
  ],
  { title: 'Event' },
);
