import { type ClarityTuple, type ClarityValue, decodeClarityValue, tupleMember } from '../../base/codec/index.ts';
import { decodeAddress, encodeAddress } from '../../base/codec/principal.ts';
import { fromHex, hexBytes } from '../../base/lib/hex.ts';
import { storableHeight } from '../../base/store/values.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { WrittenRow } from '../../ingest/indexer/workspace.ts';
import { decodeTuple } from './facts.ts';
import { addHeldInBns2, loadListedNames, type NameRows } from './listed.ts';
import { BNS2_NAMES, BNS2_NAMESPACES } from './tables.ts';
import { MAX_NAMESPACE, nameToken } from './token.ts';

/** One change that a transaction makes to names of version 2 (docs/spec/names.md#version-2). */
type Bns2Fact =
  | { readonly kind: 'holder'; readonly id: string; readonly owner: string | null }
  | {
      readonly kind: 'name';
      readonly id: string;
      readonly name: string;
      readonly namespace: Uint8Array;
      /** The operation, by its name in version 1. */
      readonly status: string;
      /** A burn height; null if the print lacks it. */
      readonly renewalHeight: number | null;
    }
  | { readonly kind: 'namespace'; readonly namespace: Uint8Array };

const DEPLOYER = 'SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF';
const TESTNET_VERSION = 26;

const testnetDeployer = encodeAddress(TESTNET_VERSION, decodeAddress(DEPLOYER)?.hash160 ?? new Uint8Array(20));

/** BNS version 2 on this network: the same key hash deployed it on both. */
export const bns2Contract = (network: Network): string =>
  `${network === 'mainnet' ? DEPLOYER : testnetDeployer}.BNS-V2`;

/** The operations that prints report, by their topics. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ['new-name', 'name-register'],
  ['new-airdrop', 'name-import'],
  ['transfer-name', 'name-transfer'],
  ['renew-name', 'name-renewal'],
  ['burn-name', 'name-revoke'],
]);

/** The facts of a transaction, in order; malformed prints yield none. */
export function bns2Facts({ events }: Pick<TransactionFacts, 'events'>, network: Network): Bns2Fact[] {
  const contract = bns2Contract(network);
  return events.map(event => ofEvent(event, contract)).filter(fact => fact !== undefined);
}

function ofEvent(event: EventFacts, contract: string): Bns2Fact | undefined {
  if (event.kind === 'nft' && event.asset === `${contract}::BNS-V2`) {
    const value = decodeClarityValue(fromHex(event.value) ?? new Uint8Array());
    if (!value.ok || value.value.type !== 'uint') return undefined;
    return { kind: 'holder', id: String(value.value.value), owner: event.recipient };
  }
  if (event.kind !== 'log' || event.contractId !== contract || event.topic !== 'print') return undefined;
  const print = decodeTuple(event.value);
  return print && (printedName(print) ?? launchedNamespace(print));
}

/** Reads the name of a print: a tuple of its own, or members of the print; renewals have the id in `some`. */
function printedName(print: ClarityTuple): Bns2Fact | undefined {
  const topic = tupleMember(print, 'topic');
  const status = topic?.type === 'string-ascii' ? STATUSES.get(topic.value) : undefined;
  if (status === undefined) return undefined;
  const inner = tupleMember(print, 'name');
  const token = nameToken(inner?.type === 'tuple' ? inner : print);
  const id = unwrapped(tupleMember(print, 'id'));
  if (!token || id?.type !== 'uint') return undefined;
  const { text: name, namespace } = token;
  return { kind: 'name', id: String(id.value), name, namespace, status, renewalHeight: renewalHeightOf(print) };
}

function renewalHeightOf(print: ClarityTuple): number | null {
  const properties = unwrapped(tupleMember(print, 'properties'));
  const height = properties?.type === 'tuple' ? tupleMember(properties, 'renewal-height') : undefined;
  return height?.type === 'uint' ? storableHeight(height.value) : null;
}

function launchedNamespace(print: ClarityTuple): Bns2Fact | undefined {
  const status = tupleMember(print, 'status');
  const namespace = tupleMember(print, 'namespace');
  if (status?.type !== 'string-ascii' || status.value !== 'launch') return undefined;
  if (namespace?.type !== 'buffer' || namespace.value.length > MAX_NAMESPACE) return undefined;
  return { kind: 'namespace', namespace: namespace.value };
}

const unwrapped = (value: ClarityValue | undefined): ClarityValue | undefined =>
  value?.type === 'some' ? value.value : value;

/** A fact with the transaction that made it. */
type MinedBns2Fact = Bns2Fact & { readonly txId: string };

/** Loads the rows of these facts. */
export function loadBns2Names(facts: readonly Bns2Fact[], rows: NameRows): void {
  rows.load(
    BNS2_NAMES,
    facts.filter(fact => fact.kind !== 'namespace'),
  );
  rows.load(
    BNS2_NAMESPACES,
    facts.filter(fact => fact.kind !== 'holder'),
  );
  loadListedNames(
    facts.flatMap(fact => (fact.kind === 'name' ? [fact.name] : [])),
    rows,
  );
}

/** Writes these facts. Their rows must be loaded. The first name of an id counts. */
export async function addBns2Facts(facts: readonly MinedBns2Fact[], height: number, rows: NameRows): Promise<void> {
  // Names that an earlier block gave to ids.
  const known = facts.flatMap(fact => (fact.kind === 'holder' ? [rows.get(BNS2_NAMES, fact)?.name ?? []] : []));
  await loadListedNames(known.flat(), rows);
  for (const fact of facts) {
    if (fact.kind === 'namespace') addNamespace(fact.namespace, height, rows);
    else {
      const before = rows.get(BNS2_NAMES, fact) ?? newName(fact.id);
      if (fact.kind === 'holder') change(before, { ...before, owner: fact.owner }, rows);
      else if (before.name === null || before.name === fact.name) {
        addNamespace(fact.namespace, height, rows);
        change(before, operated(before, fact, height), rows);
      }
    }
  }
}

type Row = WrittenRow<typeof BNS2_NAMES>;

const operated = (before: Row, fact: MinedBns2Fact & { readonly kind: 'name' }, height: number): Row => ({
  ...before,
  name: fact.name,
  status: fact.status,
  tx_id: hexBytes(fact.txId),
  renewal_height: fact.renewalHeight ?? before.renewal_height,
  height,
});

const newName = (id: string): Row => ({
  id,
  name: null,
  owner: null,
  status: null,
  tx_id: null,
  renewal_height: null,
  height: null,
});

function change(before: Row, after: Row, rows: NameRows): void {
  rows.put(BNS2_NAMES, after);
  if (after.name !== null) addHeldInBns2(after.name, held(after) - held(before), rows);
}

/** Whether its name has a holder. */
const held = ({ name, owner }: Row): number => (name !== null && owner !== null ? 1 : 0);

function addNamespace(namespace: Uint8Array, height: number, rows: NameRows): void {
  if (!rows.get(BNS2_NAMESPACES, { namespace })) rows.put(BNS2_NAMESPACES, { namespace, told_at: height });
}
