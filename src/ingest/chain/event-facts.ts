import type { TransactionEvent } from '../node/events/transaction-event.ts';

/** One effect of a transaction, as an event reports it. Amounts are decimal strings, Clarity values 0x hex. */
export type EventFacts = { readonly index: number } & (
  | { readonly kind: 'log'; readonly contractId: string; readonly topic: string; readonly value: string }
  | {
      readonly kind: 'stx_lock';
      readonly lockedAmount: string;
      readonly unlockHeight: number;
      readonly address: string;
      readonly contractId: string | null;
    }
  | ({ readonly kind: 'stx'; readonly amount: string; readonly memo: string | null } & AssetMoveFacts)
  | ({ readonly kind: 'ft'; readonly asset: string; readonly amount: string } & AssetMoveFacts)
  | ({ readonly kind: 'nft'; readonly asset: string; readonly value: string } & AssetMoveFacts)
);

export interface AssetMoveFacts {
  readonly action: 'transfer' | 'mint' | 'burn';
  /** Null for a mint. */
  readonly sender: string | null;
  /** Null for a burn. */
  readonly recipient: string | null;
}

/** An event that moves, makes or destroys an asset. */
export type AssetEvent = Extract<EventFacts, AssetMoveFacts>;

export function isAssetEvent(event: EventFacts): event is AssetEvent {
  switch (event.kind) {
    case 'stx':
    case 'ft':
    case 'nft':
      return true;
    case 'log':
    case 'stx_lock':
      return false;
    default:
      return event satisfies never;
  }
}

/** The principals that an event moves an asset from and to; the same principal on both sides counts once. */
export const partiesOf = ({ sender, recipient }: AssetMoveFacts): string[] =>
  [...new Set([sender, recipient])].filter(party => party !== null);

type WithoutIndex<T> = T extends unknown ? Omit<T, 'index'> : never;

/** The facts of one event, without its number; undefined for a type that is not known. */
export function readEvent(event: TransactionEvent): WithoutIndex<EventFacts> | undefined {
  switch (event.type) {
    case 'contract_event': {
      const { contract_identifier: contractId, topic, raw_value: value } = event.contract_event;
      return { kind: 'log', contractId, topic, value };
    }
    case 'stx_lock_event': {
      const { locked_amount, unlock_height, locked_address, contract_identifier } = event.stx_lock_event;
      return {
        kind: 'stx_lock',
        lockedAmount: locked_amount,
        unlockHeight: unlock_height,
        address: locked_address,
        contractId: contract_identifier,
      };
    }
    case 'stx_transfer_event': {
      const { sender, recipient, amount, memo } = event.stx_transfer_event;
      return { kind: 'stx', action: 'transfer', sender, recipient, amount, memo: memo ? `0x${memo}` : null };
    }
    case 'stx_mint_event':
      return {
        kind: 'stx',
        action: 'mint',
        sender: null,
        recipient: event.stx_mint_event.recipient,
        amount: event.stx_mint_event.amount,
        memo: null,
      };
    case 'stx_burn_event':
      return {
        kind: 'stx',
        action: 'burn',
        sender: event.stx_burn_event.sender,
        recipient: null,
        amount: event.stx_burn_event.amount,
        memo: null,
      };
    case 'ft_transfer_event':
      return { kind: 'ft', action: 'transfer', ...fungible(event.ft_transfer_event) };
    case 'ft_mint_event':
      return { kind: 'ft', action: 'mint', ...fungible(event.ft_mint_event) };
    case 'ft_burn_event':
      return { kind: 'ft', action: 'burn', ...fungible(event.ft_burn_event) };
    case 'nft_transfer_event':
      return { kind: 'nft', action: 'transfer', ...nonFungible(event.nft_transfer_event) };
    case 'nft_mint_event':
      return { kind: 'nft', action: 'mint', ...nonFungible(event.nft_mint_event) };
    case 'nft_burn_event':
      return { kind: 'nft', action: 'burn', ...nonFungible(event.nft_burn_event) };
    case 'unknown':
      return undefined;
    default:
      return event satisfies never;
  }
}

interface Parties {
  readonly asset_identifier: string;
  readonly sender?: string | null;
  readonly recipient?: string | null;
}

function fungible(event: Parties & { readonly amount: string }) {
  return {
    asset: event.asset_identifier,
    amount: event.amount,
    sender: event.sender ?? null,
    recipient: event.recipient ?? null,
  };
}

function nonFungible(event: Parties & { readonly raw_value: string }) {
  return {
    asset: event.asset_identifier,
    value: event.raw_value,
    sender: event.sender ?? null,
    recipient: event.recipient ?? null,
  };
}
