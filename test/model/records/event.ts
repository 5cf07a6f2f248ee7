import type { Payload, Tx } from '../world.ts';
import { clarity } from './transaction.ts';

const ASSETS: Readonly<Record<string, string>> = {
  stx: 'stx_asset',
  ft: 'fungible_token_asset',
  nft: 'non_fungible_token_asset',
};

/** An event of a transaction with its `event_type` (docs/spec/transactions.md#events). */
export function eventRecord(tx: Tx, event: Payload): Record<string, unknown> {
  const event_index = tx.events.indexOf(event);
  const data = event[event.type];
  const as = (event_type: string) => ({ event_index, event_type, tx_id: tx.txId });
  if (event.type === 'contract_event') {
    const { contract_identifier: contract_id, topic, raw_value } = data;
    return { ...as('smart_contract_log'), contract_log: { contract_id, topic, value: clarity(raw_value) } };
  }
  if (event.type === 'stx_lock_event') {
    const { locked_amount, unlock_height, locked_address } = data;
    return {
      ...as('stx_lock'),
      stx_lock_event: { locked_amount: String(locked_amount), unlock_height: Number(unlock_height), locked_address },
    };
  }
  const [asset = '', action] = event.type.split('_');
  return {
    ...as(ASSETS[asset] ?? ''),
    asset: {
      asset_event_type: action,
      ...(asset !== 'stx' && { asset_id: data.asset_identifier }),
      sender: data.sender ?? '',
      recipient: data.recipient ?? '',
      ...(asset === 'nft' ? { value: clarity(data.raw_value) } : { amount: String(data.amount) }),
      ...(asset === 'stx' && data.memo && { memo: `0x${data.memo}` }),
    },
  };
}
