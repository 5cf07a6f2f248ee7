import type { ClarityValue } from '../../../src/base/codec/index.ts';
import { bootAddress } from '../bitcoin-operations.ts';
import { principalOf } from '../principals.ts';
import { failed, ok, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';
import { clarityOf, isNameContract, member, memberTuple, nameOf, text, tupleOf } from './name-values.ts';
import { subdomainsOf } from './subdomains.ts';

/** getNamesOwnedByAddressV1 (docs/names.md): names and subdomains of an address, in the order of UTF-16. */
const names: Route['respond'] = (world, { blockchain, address: given = '' }) => {
  const address = principalOf(given);
  if (blockchain !== 'stacks' || address === undefined) return failed(400);
  const isValid = isValidIn(world);
  const subdomains = [...subdomainsOf(world)].filter(([, { owner, parent }]) => owner === address && isValid(parent));
  const all = [...namesHeldBy(world, address), ...subdomains.map(([subdomain]) => subdomain)];
  return ok({ names: [...new Set(all)].sort() });
};

/** getNamesOfPrincipalsV3. */
const namesOfSeveral: Route['respond'] = (world, _params, query) => {
  const asked = query.getAll('principal').flatMap(text => text.split(','));
  const principals = [...new Set(asked.map(text => principalOf(text)))];
  if (principals.includes(undefined)) return failed(400);
  const results = principals.map((principal = '') => {
    const held = [...new Set(namesHeldBy(world, principal))];
    const inOrder = held.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return { principal, names: inOrder.slice(0, 10), has_more: inOrder.length > 10 };
  });
  return ok({ results });
};

/** Whether the last operation on a name is no revocation. */
function isValidIn(world: World): (name: string) => boolean {
  const operations = operationsOf(world);
  return name => {
    const last = operations.findLast(operation => operation.name === name);
    return last !== undefined && last.op !== 'name-revoke';
  };
}

/** Of both versions, without subdomains. */
function namesHeldBy(world: World, address: string): string[] {
  const isValid = isValidIn(world);
  const holders = holdersOf(world);
  const held = [...holders].filter(([, holder]) => holder === address).map(([name]) => name);
  // A name from the genesis of the chain has no NFT: the last operation in block 1 names its owner.
  const first = new Map(
    operationsOf(world)
      .filter(({ height }) => height === 1)
      .map(({ name, owner }) => [name, owner]),
  );
  const original = [...first].filter(([name, owner]) => owner === address && !holders.has(name)).map(([name]) => name);
  const v2 = ofBns2(world);
  const ofBns1 = [...held, ...original].filter(isValid).filter(name => !v2.some(entry => entry.name === name));
  return [...ofBns1, ...v2.flatMap(entry => (entry.owner === address && entry.name !== undefined ? [entry.name] : []))];
}

const V2 = /^(SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF|ST2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D[0-9A-Z]+)\.BNS-V2/;

/** An id of version 2. */
export interface Bns2Name {
  readonly name: string | undefined;
  readonly owner: string | undefined;
  /** Of the last print with this name. */
  readonly last: { readonly topic: string; readonly txId: string; readonly height: number } | undefined;
  readonly renewal: number;
}

/**
 * Every id of version 2: the name of its first print, and the recipient of its last NFT event
 * (docs/spec/names.md#version-2).
 */
export function ofBns2(world: World): Bns2Name[] {
  const ids = new Map<string, Bns2Name>();
  const change = (id: string, changed: (before: Bns2Name) => Partial<Bns2Name>): void => {
    const before = ids.get(id) ?? { name: undefined, owner: undefined, last: undefined, renewal: 0 };
    ids.set(id, { ...before, ...changed(before) });
  };
  for (const { txId, block, events } of world.txs)
    for (const event of events) {
      const { asset_identifier: asset, contract_identifier: contract, raw_value, recipient } = event[event.type];
      if (event.type.startsWith('nft_') && V2.test(asset)) {
        const value = clarityOf(raw_value);
        if (value?.type === 'uint') change(String(value.value), () => ({ owner: recipient }));
      } else if (event.type === 'contract_event' && V2.test(contract)) {
        const print = tupleOf(raw_value);
        const [number, topic] = [inside(member(print, 'id')), member(print, 'topic')];
        const name = nameOf(memberTuple(print, 'name') ?? print);
        if (number?.type !== 'uint' || name === undefined || topic?.type !== 'string-ascii') continue;
        const properties = inside(member(print, 'properties'));
        const told = properties?.type === 'tuple' ? member(properties, 'renewal-height') : undefined;
        change(String(number.value), before =>
          before.name !== undefined && before.name !== name
            ? {}
            : {
                name,
                last: { topic: topic.value, txId, height: block.height },
                ...(told?.type === 'uint' && { renewal: Number(told.value) }),
              },
        );
      }
    }
  return [...ids.values()];
}

const inside = (value: ClarityValue | undefined): ClarityValue | undefined =>
  value?.type === 'some' ? value.value : value;

/** Something that was done to a name. */
export interface Operation {
  readonly name: string;
  readonly op: string;
  readonly owner: string;
  readonly height: number;
  readonly tx: Tx;
  /** Of the zone file, hex without prefix; empty where the operation has none. */
  readonly hash: string;
}

export const operationsOf = (world: World): Operation[] =>
  world.txs.flatMap(tx => [...printed(tx), ...silentRenewal(world, tx)]);

/** What the name contract printed (docs/spec/names.md#name-operations). */
export function printed(tx: Tx): Operation[] {
  return tx.events.flatMap(({ contract_event: log }) => {
    if (log?.topic !== 'print' || !isNameContract(log.contract_identifier)) return [];
    const attachment = memberTuple(tupleOf(log.raw_value), 'attachment');
    const metadata = memberTuple(attachment, 'metadata');
    const [op, sender, hash] = [member(metadata, 'op'), member(metadata, 'tx-sender'), member(attachment, 'hash')];
    const name = nameOf(metadata);
    if (name === undefined || op?.type !== 'string-ascii' || sender?.type !== 'principal') return [];
    if (hash?.type !== 'buffer') return [];
    const owner = sender.value.split('.', 1)[0] ?? '';
    return [{ name, op: op.value, owner, height: tx.block.height, tx, hash: Buffer.from(hash.value).toString('hex') }];
  });
}

/** A renewal without a zone file prints nothing: it is known from the call alone. */
export function silentRenewal(world: World, tx: Tx): Operation[] {
  const { decoded, payload: delivered, block } = tx;
  const { origin, payload } = decoded;
  const { status } = delivered;
  if (payload.kind !== 'contract_call' || status !== 'success' || payload.args.length !== 5) return [];
  if (payload.contractId !== `${bootAddress(world.network)}.bns` || payload.functionName !== 'name-renewal') return [];
  const [namespace, name, , , zonefileHash] = payload.args.map(({ hex }) => clarityOf(hex));
  if (zonefileHash?.type !== 'none' || name?.type !== 'buffer' || namespace?.type !== 'buffer') return [];
  const renewed = `${text(name.value)}.${text(namespace.value)}`;
  return [{ name: renewed, op: 'name-renewal', owner: origin.address, height: block.height, tx, hash: '' }];
}

/** The owner of the NFT of each name that ever had one; undefined for a burned one. */
function holdersOf(world: World): Map<string, string | undefined> {
  const asset = `${bootAddress(world.network)}.bns::names`;
  const holders = new Map<string, string | undefined>();
  for (const event of world.txs.flatMap(({ events }) => events)) {
    const moved = event[event.type];
    if (!event.type.startsWith('nft_') || moved.asset_identifier !== asset) continue;
    const name = nameOf(tupleOf(moved.raw_value));
    if (name !== undefined) holders.set(name, moved.recipient);
  }
  return holders;
}

export const nameRoutes: readonly Route[] = [
  { template: '/v1/addresses/{blockchain}/{address}', respond: names },
  { template: '/extended/v3/names', respond: namesOfSeveral },
];
