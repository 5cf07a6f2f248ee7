import type { AssetMoveFacts, EventFacts } from '../../ingest/chain/event-facts.ts';
import { reprOf } from './record.ts';

/**
 * An event of a transaction in the form of all routes that list events with their `event_type`: keys in emitted order. EventSchemaV1 is its
 * schema (docs/spec/transactions.md#events).
 */
export function eventV1(txId: string, event: EventFacts) {
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
const move = ({ action, sender, recipient }: AssetMoveFacts, asset?: string) => ({
  asset_event_type: action,
  ...(asset !== undefined && { asset_id: asset }),
  sender: sender ?? '',
  recipient: recipient ?? '',
});
