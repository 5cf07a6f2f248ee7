import type { TProperties } from 'typebox';
import { reprOf } from '../../../index/transactions/record.ts';
import type { AssetMoveFacts, EventFacts } from '../../../ingest/chain/event-facts.ts';
import { amount, assetId, ClarityValueSchema, contractId, count, nullable, principal } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { memoV3 } from './payload-v3.ts';
import { MemoSchemaV3 } from './schema-v3.ts';

/** An event of a transaction as version 3 shows it, keys in emitted order (docs/spec/transactions.md#version-3-events). */
export function eventV3(event: EventFacts) {
  const { index: event_index } = event;
  switch (event.kind) {
    case 'log': {
      const { contractId: contract_id, topic, value } = event;
      return { event_index, type: 'contract_log', contract_log: { contract_id, topic, value: clarityValue(value) } };
    }
    case 'stx_lock': {
      const { lockedAmount: amount, unlockHeight: unlock_bitcoin_height, address } = event;
      return { event_index, type: 'stx_lock', stx_lock: { amount, unlock_bitcoin_height, address } };
    }
    case 'stx': {
      const { amount, memo, action } = event;
      const note = action === 'transfer' ? { memo: memo === null ? null : memoV3(memo) } : {};
      return { event_index, type: 'stx_asset', stx_asset: { ...moveFields(event), amount, ...note } };
    }
    case 'ft': {
      const { asset: asset_identifier, amount } = event;
      return { event_index, type: 'ft_asset', ft_asset: { ...moveFields(event), asset_identifier, amount } };
    }
    case 'nft': {
      const { asset: asset_identifier, value } = event;
      return {
        event_index,
        type: 'nft_asset',
        nft_asset: { ...moveFields(event), asset_identifier, value: clarityValue(value) },
      };
    }
    default:
      return event satisfies never;
  }
}

const clarityValue = (hex: string) => ({ hex, repr: reprOf(hex) });

/** A mint has no sender and a burn no recipient: the missing one is left out. */
const moveFields = ({ action: type, sender, recipient }: AssetMoveFacts) => ({
  type,
  ...(sender !== null && { sender }),
  ...(recipient !== null && { recipient }),
});

const moves = (name: string, asset: TProperties, ofTransfer: TProperties = {}) =>
  Type.Union(
    [
      Type.Object(
        { type: Type.Literal('transfer'), sender: principal(), recipient: principal(), ...asset, ...ofTransfer },
        { title: `${name}TransferMove` },
      ),
      Type.Object({ type: Type.Literal('mint'), recipient: principal(), ...asset }, { title: `${name}MintMove` }),
      Type.Object({ type: Type.Literal('burn'), sender: principal(), ...asset }, { title: `${name}BurnMove` }),
    ],
    { title: `${name}Move` },
  );

const event = (title: string, type: string, content: TProperties[string]) =>
  Type.Object(
    { event_index: count('Position among the events of the transaction'), type: Type.Literal(type), [type]: content },
    { title },
  );

const tokens = () => amount('In the smallest unit of the token');

/** An event of a transaction. */
export const EventSchemaV3 = Type.Union(
  [
    event(
      'TransactionContractLog',
      'contract_log',
      Type.Object({
        contract_id: contractId(),
        topic: Type.String({ examples: ['print'] }),
        value: ClarityValueSchema,
      }),
    ),
    event(
      'TransactionStxLock',
      'stx_lock',
      Type.Object({ amount: amount(), unlock_bitcoin_height: count('Burn block height'), address: principal() }),
    ),
    event(
      'TransactionStxMove',
      'stx_asset',
      moves('Stx', { amount: amount() }, { memo: nullable(MemoSchemaV3, 'Null without one') }),
    ),
    event(
      'TransactionFungibleTokenMove',
      'ft_asset',
      moves('FungibleToken', { asset_identifier: assetId(), amount: tokens() }),
    ),
    event(
      'TransactionNonFungibleTokenMove',
      'nft_asset',
      moves('NonFungibleToken', { asset_identifier: assetId(), value: ClarityValueSchema }),
    ),
  ],
  { title: 'TransactionEvent' },
);
