import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { bootAddress, type Network } from '../../ingest/chain/network.ts';
import { MAX_NAMESPACE, type NameToken, nameToken, nameTokenOf } from './token.ts';

/** One change that a transaction makes to names. */
export type NameFact =
  /** The name's NFT has moved; owner null: it was burned. */
  | { readonly kind: 'custody'; readonly token: NameToken; readonly owner: string | null }
  | {
      readonly kind: 'operation';
      readonly token: NameToken;
      /** `name-register`, `name-import`, `name-update`, `name-transfer`, `name-renewal`, `name-revoke`. */
      readonly status: string;
      /** An address; if a contract sends, that of its deployer (docs/spec/names.md#name-operations). */
      readonly sender: string;
      /** For a transfer, the principal that received the NFT in the same transaction; null without one, and for other operations. */
      readonly recipient: string | null;
      /** 0x hex; null: the operation has no zone file. */
      readonly zonefileHash: string | null;
    }
  | { readonly kind: 'namespace'; readonly namespace: Uint8Array; readonly lifetime: string };

/** The fields of a transaction that decide about names. */
export interface NameSource {
  readonly events: readonly EventFacts[];
  readonly status: string;
  readonly sender: string;
  /** Null for a transaction of another type. */
  readonly call: {
    readonly contractId: string;
    readonly functionName: string;
    readonly args: readonly { readonly hex: string }[];
  } | null;
}

export const nameSource = ({ events, status, transaction: { origin, payload } }: TransactionFacts): NameSource => ({
  events,
  status,
  sender: origin.address,
  call: payload.kind === 'contract_call' ? payload : null,
});

/** BNS version 1 on this network. */
export const bnsContract = (network: Network): string => `${bootAddress(network)}.bns`;

/**
 * The facts of a transaction, in order (docs/spec/names.md#name-operations). Its events are those of a success; malformed data
 * yields no facts.
 */
export function nameFacts(tx: NameSource, network: Network): NameFact[] {
  const contract = bnsContract(network);
  const facts = tx.events.map(event => ofEvent(event, contract)).filter(fact => fact !== undefined);
  const renewal = silentRenewal(tx, contract);
  return [...facts.map(fact => withRecipient(fact, facts)), ...(renewal ? [renewal] : [])];
}

function withRecipient(fact: NameFact, all: readonly NameFact[]): NameFact {
  if (fact.kind !== 'operation' || fact.status !== 'name-transfer') return fact;
  const { text } = fact.token;
  const moved = all.find(other => other.kind === 'custody' && other.token.text === text && other.owner !== null);
  return moved?.kind === 'custody' ? { ...fact, recipient: moved.owner } : fact;
}

function ofEvent(event: EventFacts, contract: string): NameFact | undefined {
  switch (event.kind) {
    case 'nft':
      return event.asset === `${contract}::names` ? custody(event.value, event.recipient) : undefined;
    case 'log':
      return event.contractId === contract && event.topic === 'print' ? print(event.value) : undefined;
    case 'stx':
    case 'ft':
    case 'stx_lock':
      return undefined;
    default:
      return event satisfies never;
  }
}

function custody(value: string, owner: string | null): NameFact | undefined {
  const tuple = decodeTuple(value);
  const token = tuple && nameToken(tuple);
  return token && { kind: 'custody', token, owner };
}

function print(value: string): NameFact | undefined {
  const tuple = decodeTuple(value);
  return tuple && (operation(tuple) ?? namespaceReady(tuple));
}

function operation(tuple: ClarityTuple): NameFact | undefined {
  const attachment = asTuple(tupleMember(tuple, 'attachment'));
  const metadata = attachment && asTuple(tupleMember(attachment, 'metadata'));
  if (!metadata) return undefined;
  const token = nameToken(metadata);
  const hash = tupleMember(attachment, 'hash');
  const op = tupleMember(metadata, 'op');
  const sender = tupleMember(metadata, 'tx-sender');
  if (!token || hash?.type !== 'buffer' || op?.type !== 'string-ascii' || sender?.type !== 'principal')
    return undefined;
  const zonefileHash = hash.value.length > 0 ? toHex(hash.value) : null;
  return {
    kind: 'operation',
    token,
    status: op.value.replaceAll('\0', ''),
    sender: addressOf(sender.value),
    recipient: null,
    zonefileHash,
  };
}

function namespaceReady(tuple: ClarityTuple): NameFact | undefined {
  const status = tupleMember(tuple, 'status');
  const namespace = tupleMember(tuple, 'namespace');
  const properties = asTuple(tupleMember(tuple, 'properties'));
  const lifetime = properties && tupleMember(properties, 'lifetime');
  if (status?.type !== 'string-ascii' || status.value !== 'ready' || lifetime?.type !== 'uint') return undefined;
  if (namespace?.type !== 'buffer' || namespace.value.length > MAX_NAMESPACE) return undefined;
  return { kind: 'namespace', namespace: namespace.value, lifetime: String(lifetime.value) };
}

/** A renewal that keeps the zone file prints nothing, so it is read from the call itself. */
function silentRenewal({ status, sender, call }: NameSource, contract: string): NameFact | undefined {
  if (call?.contractId !== contract || call.functionName !== 'name-renewal') return undefined;
  const [namespace, name, , , zonefileHash] = call.args;
  if (status !== 'success' || call.args.length !== 5 || zonefileHash?.hex !== NONE) return undefined;
  const token = namespace && name && nameTokenOf(decode(name.hex), decode(namespace.hex));
  return (
    token && {
      kind: 'operation',
      token,
      status: 'name-renewal',
      sender,
      recipient: null,
      zonefileHash: null,
    }
  );
}

const addressOf = (principal: string): string => principal.split('.', 1)[0] ?? '';

const NONE = '0x09';

function decode(hex: string): ClarityValue | undefined {
  const value = decodeClarityValue(fromHex(hex) ?? new Uint8Array());
  return value.ok ? value.value : undefined;
}

const asTuple = (value: ClarityValue | undefined): ClarityTuple | undefined =>
  value?.type === 'tuple' ? value : undefined;

/** The tuple serialised in this 0x hex; undefined for any other value. */
export const decodeTuple = (hex: string): ClarityTuple | undefined => asTuple(decode(hex));
