import Type, { type TProperties } from 'typebox';
import type { AssetMove, EventFacts } from '../../chain/event-facts.ts';
import {
  amount,
  assetId,
  ClarityValue,
  contractId,
  count,
  hash,
  hexBytes,
  principal,
  word,
} from '../../http/schema.ts';
import { reprOf } from './record.ts';

/**
 * An event of a transaction as every route serves it that lists events with their `event_type`: keys in emitted order. EventSchema is its
 * schema (docs/spec/transactions.md#events).
 */
export function eventRecord(txId: string, event: EventFacts) {
  const about = <T extends string>(event_type: T) => ({ event_index: event.index, event_type, tx_id: txId });
  switch (event.kind) {
    case 'log': {
      const { contractId: contract_id, topic, value } = event;
      return { ...about('smart_contract_log'), contract_log: { contract_id, topic, value: clarityValue(value) } };
    }
    case 'stx_lock': {
      const { lockedAmount: locked_amount, unlockHeight: unlock_height, address: locked_address } = event;
      return { ...about('stx_lock'), stx_lock_event: { locked_amount, unlock_height, locked_address } };
    }
    case 'stx': {
      const { amount, memo } = event;
      return { ...about('stx_asset'), asset: { ...move(event), amount, ...(memo !== null && { memo }) } };
    }
    case 'ft': {
      const { amount } = event;
      return { ...about('fungible_token_asset'), asset: { ...move(event, event.asset), amount } };
    }
    case 'nft': {
      const value = clarityValue(event.value);
      return { ...about('non_fungible_token_asset'), asset: { ...move(event, event.asset), value } };
    }
    default:
      return event satisfies never;
  }
}

const clarityValue = (hex: string) => ({ hex, repr: reprOf(hex) });

/** A missing party, that of a mint or a burn, is an empty string. */
const move = ({ action, sender, recipient }: AssetMove, asset?: string) => ({
  asset_event_type: action,
  ...(asset !== undefined && { asset_id: asset }),
  sender: sender ?? '',
  recipient: recipient ?? '',
});

const event = (title: string, type: string, key: string, properties: TProperties, description: string) =>
  Type.Object(
    {
      event_index: count('Position among the events of the transaction'),
      event_type: Type.Literal(type),
      tx_id: hash(),
      [key]: Type.Object(properties),
    },
    { title, description },
  );

/** Who had and who has; a missing party is an empty string here. */
const movedAsset = (asset: TProperties): TProperties => ({
  asset_event_type: word(['transfer', 'mint', 'burn']),
  ...asset,
});
const party = (description: string) => Type.Union([principal(), Type.Literal('')], { description });
const parties = () => ({ sender: party('Empty for a mint'), recipient: party('Empty for a burn') });
const tokens = () => amount('In the smallest unit of the token');

/** What a contract printed. */
export const ContractLogSchema = event(
  'ContractLogEvent',
  'smart_contract_log',
  'contract_log',
  { contract_id: contractId(), topic: Type.String({ examples: ['print'] }), value: ClarityValue },
  'What a contract printed',
);

/** An event of a transaction; the kinds have `event_type` for a discriminator (docs/spec/transactions.md#events). */
export const EventSchema = Type.Union(
  [
    ContractLogSchema,
    event(
      'StxLockEvent',
      'stx_lock',
      'stx_lock_event',
      { locked_amount: amount(), unlock_height: count('Burn block height'), locked_address: principal() },
      'STX locked by stacking',
    ),
    event(
      'StxAssetEvent',
      'stx_asset',
      'asset',
      movedAsset({ ...parties(), amount: amount(), memo: Type.Optional(hexBytes('Of a transfer that has one')) }),
      'STX transferred, minted or burnt',
    ),
    event(
      'FungibleTokenEvent',
      'fungible_token_asset',
      'asset',
      movedAsset({ asset_id: assetId(), ...parties(), amount: tokens() }),
      'Fungible tokens transferred, minted or burnt',
    ),
    event(
      'NonFungibleTokenEvent',
      'non_fungible_token_asset',
      'asset',
      movedAsset({ asset_id: assetId(), ...parties(), value: ClarityValue }),
      'A non-fungible token transferred, minted or burnt',
    ),
  ],
  { title: 'Event' },
);
