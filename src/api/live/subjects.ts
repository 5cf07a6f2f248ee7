/**
 * The nine subjects of the older channels (docs/spec/live.md#the-older-channels): their names in requests, the entries
 * of the log that belong to them, and the identifiers that responses repeat.
 */
import { fromHex, toHex } from '../../base/lib/hex.ts';
import { spellPrincipal } from '../http/principals.ts';
import type { LogEntry } from './entry.ts';
import { BLOCK_END, parseAssetIdentifier, parseTransactionId, V1 } from './topics.ts';

export interface Subject {
  readonly kind: SubjectKind;
  /** The identifiers of the subject in the spelling of the index, by their names in the JSON-RPC. */
  readonly about: Readonly<Record<string, string>>;
  /** Keys of the log. */
  readonly keys: readonly string[];
}

/** The subjects, by their names in the JSON-RPC. */
export const RPC_EVENTS = {
  block: 'block',
  microblock: 'microblock',
  mempool: 'mempool',
  transaction: 'tx_update',
  'address-transaction': 'address_tx_update',
  'address-stx-balance': 'address_balance_update',
  'nft-event': 'nft_event',
  'nft-asset-event': 'nft_asset_event',
  'nft-collection-event': 'nft_collection_event',
} as const;
export type SubjectKind = keyof typeof RPC_EVENTS;

const subject = (kind: SubjectKind, about: Readonly<Record<string, string>>, ...keys: readonly string[]): Subject => ({
  kind,
  about,
  keys: [...keys, V1.undone],
});

/** Parses a topic of socket.io; undefined for a text that names no subject. */
export function parseSubject(topic: string): Subject | undefined {
  const colon = topic.indexOf(':');
  const [kind, rest] = colon < 0 ? [topic, ''] : [topic.slice(0, colon), topic.slice(colon + 1)];
  const known = Object.hasOwn(RPC_EVENTS, kind) ? (kind as SubjectKind) : undefined;
  if (known === undefined || WITHOUT_SUBJECT.has(known) !== colon < 0) return undefined;
  const plus = rest.indexOf('+');
  const [asset, value] = plus < 0 ? [rest, ''] : [rest.slice(0, plus), rest.slice(plus + 1)];
  const made = subjectOf(known, { tx_id: rest, address: rest, asset_identifier: asset, value });
  return 'invalid' in made ? undefined : made;
}

/** Longest value of an NFT to which clients of the older channels can subscribe, in characters: it stays in memory while they are connected. */
const MOST_OF_VALUE = 4096;

const WITHOUT_SUBJECT: ReadonlySet<SubjectKind> = new Set(['block', 'microblock', 'mempool', 'nft-event']);

/** The subject that these parameters name, or the name of the wrong parameter. */
export function subjectOf(
  kind: SubjectKind,
  params: Readonly<Record<string, unknown>>,
): Subject | { readonly invalid: string } {
  const text = (name: string): string => (typeof params[name] === 'string' ? params[name] : '');
  switch (kind) {
    case 'block':
      return subject(kind, {}, V1.block);
    case 'microblock':
      return subject(kind, {}, V1.microblock);
    case 'mempool':
      return subject(kind, {}, 'mempool');
    case 'nft-event':
      return subject(kind, {}, V1.nft, BLOCK_END);
    case 'transaction': {
      const tx_id = parseTransactionId(text('tx_id'));
      if (tx_id === undefined) return { invalid: 'tx_id' };
      return subject(kind, { tx_id }, `tx:${tx_id}`, V1.undoneTransaction(tx_id), BLOCK_END);
    }
    case 'address-transaction':
    case 'address-stx-balance': {
      const address = spellPrincipal(text('address'));
      if (address === undefined) return { invalid: 'address' };
      return kind === 'address-transaction'
        ? subject(kind, { address }, `principal:${address}`, V1.undoneOf(address), BLOCK_END)
        : subject(kind, { address }, `balance:${address}`, BLOCK_END);
    }
    case 'nft-asset-event':
    case 'nft-collection-event': {
      const asset_identifier = parseAssetIdentifier(text('asset_identifier'));
      if (asset_identifier === undefined) return { invalid: 'asset_identifier' };
      if (kind === 'nft-collection-event')
        return subject(kind, { asset_identifier }, `nft:${asset_identifier}`, BLOCK_END);
      const bytes = text('value').length > MOST_OF_VALUE ? undefined : fromHex(text('value'));
      if (bytes === undefined || bytes.length === 0) return { invalid: 'value' };
      const value = toHex(bytes);
      return subject(kind, { asset_identifier, value }, `nft:${asset_identifier}+${value}`, BLOCK_END);
    }
    default:
      return kind satisfies never;
  }
}

/** The payload that listeners of a subject get for an entry, as JSON text; undefined if they get no event. */
export function payloadOf({ kind }: Subject, entry: LogEntry): string | undefined {
  // Listeners of the whole mempool get no event when a transaction leaves it; only listeners of that transaction do.
  return kind === 'mempool' && entry.event !== 'mempool' ? undefined : entry.v1();
}
