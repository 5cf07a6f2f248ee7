import type { AssetMoveFacts, EventFacts } from '../../ingest/chain/event-facts.ts';
import { packRecord, unpackRecord } from './packed-record.ts';

/** One event without the names of its members. Its number is its place among all events of the transaction. */
type Packed =
  | readonly ['log', contractId: string, topic: string, value: string]
  | readonly ['lock', amount: string, unlockHeight: number, address: string, contractId: string | null]
  | readonly ['stx', ...Move, amount: string, memo: string | null]
  | readonly ['ft', ...Move, asset: string, amount: string]
  | readonly ['nft', ...Move, asset: string, value: string];
type Move = [action: AssetMoveFacts['action'], sender: string | null, recipient: string | null];

/**
 * Events in a part; only the last part of a transaction has fewer. A page reads only the parts that it shows, as a transaction may have
 * hundreds of thousands of events, like that of mainnet's genesis.
 */
export const EVENTS_IN_PART = 200;

/** The events of a transaction, which are numbered 0, 1, 2 ..., in parts, each a compact JSON text, packed; no part without events. */
export function packEvents(events: readonly EventFacts[]): string[] {
  if (events.length === 0) return [];
  if (events.length <= EVENTS_IN_PART) return [packPart(events)];
  const parts: string[] = [];
  for (let start = 0; start < events.length; start += EVENTS_IN_PART)
    parts.push(packPart(events.slice(start, start + EVENTS_IN_PART)));
  return parts;
}

const packPart = (events: readonly EventFacts[]): string => packRecord(JSON.stringify(events.map(pack)));

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

/** Unpacks a part of packEvents. @param part its number, from 0 on */
export function unpackEvents(text: string | null, part = 0): EventFacts[] {
  if (text === null) return [];
  const before = part * EVENTS_IN_PART;
  return (JSON.parse(unpackRecord(text)) as Packed[]).map((packed, i) => ({ index: before + i, ...unpack(packed) }));
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
