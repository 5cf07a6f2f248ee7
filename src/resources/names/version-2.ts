import type { TransactionFacts } from '../../chain/block-facts.ts';
import type { EventFacts } from '../../chain/event-facts.ts';
import type { Network } from '../../chain/network.ts';
import { type ClarityTuple, decodeClarityValue, tupleMember } from '../../codec/index.ts';
import { decodeAddress, encodeAddress } from '../../codec/principal.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { fromHex } from '../../lib/hex.ts';
import { decodeTuple } from './facts.ts';
import { NAMES_V2 } from './tables.ts';
import { nameToken } from './token.ts';

/** What a transaction says about names of version 2 (docs/spec/names.md#version-2). */
export type NameV2Fact =
  | { readonly kind: 'holder'; readonly id: string; readonly owner: string | null }
  | { readonly kind: 'name'; readonly id: string; readonly name: string };

const DEPLOYER = 'SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF';
const TESTNET_VERSION = 26;

const testnetDeployer = encodeAddress(TESTNET_VERSION, decodeAddress(DEPLOYER)?.hash160 ?? new Uint8Array(20));

/** BNS version 2 on this network: the same key hash deployed it on both. */
export const bnsV2Contract = (network: Network): string =>
  `${network === 'mainnet' ? DEPLOYER : testnetDeployer}.BNS-V2`;

const TOPICS: ReadonlySet<string> = new Set(['new-name', 'new-airdrop', 'transfer-name', 'renew-name', 'burn-name']);

/** The facts of a transaction, in order; what is malformed tells nothing. */
export function nameV2Facts({ events }: Pick<TransactionFacts, 'events'>, network: Network): NameV2Fact[] {
  const contract = bnsV2Contract(network);
  return events.map(event => ofEvent(event, contract)).filter(fact => fact !== undefined);
}

function ofEvent(event: EventFacts, contract: string): NameV2Fact | undefined {
  if (event.kind === 'nft' && event.asset === `${contract}::BNS-V2`) {
    const value = decodeClarityValue(fromHex(event.value) ?? new Uint8Array());
    if (!value.ok || value.value.type !== 'uint') return undefined;
    return { kind: 'holder', id: String(value.value.value), owner: event.recipient };
  }
  if (event.kind !== 'log' || event.contractId !== contract || event.topic !== 'print') return undefined;
  const print = decodeTuple(event.value);
  return print && printedName(print);
}

/** The name is a tuple of its own, or its parts are members of the print; renewals have the id in `some`. */
function printedName(print: ClarityTuple): NameV2Fact | undefined {
  const topic = tupleMember(print, 'topic');
  if (topic?.type !== 'string-ascii' || !TOPICS.has(topic.value)) return undefined;
  const inner = tupleMember(print, 'name');
  const token = nameToken(inner?.type === 'tuple' ? inner : print);
  const wrapped = tupleMember(print, 'id');
  const id = wrapped?.type === 'some' ? wrapped.value : wrapped;
  return token && id?.type === 'uint' ? { kind: 'name', id: String(id.value), name: token.text } : undefined;
}

/** Writes them. The rows of their ids must be loaded. The first name of an id counts. */
export function addNameV2Facts(facts: readonly NameV2Fact[], workspace: Workspace): void {
  for (const fact of facts) {
    const { id } = fact;
    const { name, owner } = workspace.get(NAMES_V2, { id }) ?? { name: null, owner: null };
    if (fact.kind === 'holder') workspace.put(NAMES_V2, { id, name, owner: fact.owner });
    else if (name === null) workspace.put(NAMES_V2, { id, name: fact.name, owner });
  }
}
