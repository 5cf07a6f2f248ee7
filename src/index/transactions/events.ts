import type { AssetMoveFacts, EventFacts } from '../../ingest/chain/event-facts.ts';

/** One event without the names of its members. Its number is its place in the list. */
type Packed =
  | readonly ['log', contractId: string, topic: string, value: string]
  | readonly ['lock', amount: string, unlockHeight: number, address: string, contractId: string | null]
  | readonly ['stx', ...Move, amount: string, memo: string | null]
  | readonly ['ft', ...Move, asset: string, amount: string]
  | readonly ['nft', ...Move, asset: string, value: string];
type Move = [action: AssetMoveFacts['action'], sender: string | null, recipient: string | null];

/** The events of a transaction, which are numbered 0, 1, 2 ..., as compact JSON text; null without events. */
export function packEvents(events: readonly EventFacts[]): string | null {
  return events.length === 0 ? null : JSON.stringify(events.map(pack));
}

function pack(event: EventFacts): Packed {
  switch (event.kind) {
    case 'log':
      return ['log', event.contractId, event.topic, event.value];
    case 'stx_lock':
      return ['lock', event.lockedAmount, event.unlockHeight, event.address, event.contractId];
    case 'stx':
      return ['stx', event.action, event.sender, event.recipient, event.amount, event.memo];
    case 'ft':
      return ['ft', event.action, event.sender, event.recipient, event.asset, event.amount];
    case 'nft':
      return ['nft', event.action, event.sender, event.recipient, event.asset, event.value];
    default:
      return event satisfies never;
  }
}

/** What packEvents packed. */
export function unpackEvents(text: string | null): EventFacts[] {
  return text === null ? [] : (JSON.parse(text) as Packed[]).map((packed, index) => ({ index, ...unpack(packed) }));
}

function unpack(packed: Packed) {
  switch (packed[0]) {
    case 'log': {
      const [kind, contractId, topic, value] = packed;
      return { kind, contractId, topic, value };
    }
    case 'lock': {
      const [, lockedAmount, unlockHeight, address, contractId] = packed;
      return { kind: 'stx_lock' as const, lockedAmount, unlockHeight, address, contractId };
    }
    case 'stx': {
      const [kind, action, sender, recipient, amount, memo] = packed;
      return { kind, action, sender, recipient, amount, memo };
    }
    case 'ft': {
      const [kind, action, sender, recipient, asset, amount] = packed;
      return { kind, action, sender, recipient, asset, amount };
    }
    case 'nft': {
      const [kind, action, sender, recipient, asset, value] = packed;
      return { kind, action, sender, recipient, asset, value };
    }
    default:
      return packed satisfies never;
  }
}
