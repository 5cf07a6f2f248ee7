import { isValidPrincipal } from '../../../src/codec/index.ts';
import { bootAddress } from '../bitcoin-operations.ts';
import { failed, ok, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';
import { clarityOf, isNameContract, member, memberTuple, nameOf, text, tupleOf } from './name-values.ts';
import { subdomainsOf } from './subdomains.ts';

/** getNamesOwnedByAddress (docs/names.md): names and subdomains of an address, in the order of UTF-16. */
const names: Route['answer'] = (world, { blockchain, address = '' }) => {
  if (blockchain !== 'stacks' || !isValidPrincipal(address)) return failed(400);
  const operations = operationsOf(world);
  const isValid = (name: string): boolean => {
    const last = operations.findLast(operation => operation.name === name);
    return last !== undefined && last.op !== 'name-revoke';
  };
  const holders = holdersOf(world);
  const held = [...holders].filter(([, holder]) => holder === address).map(([name]) => name);
  // A name that the chain began with has no NFT: the last operation in block 1 tells whose it is.
  const first = new Map(operations.filter(({ height }) => height === 1).map(({ name, owner }) => [name, owner]));
  const original = [...first].filter(([name, owner]) => owner === address && !holders.has(name)).map(([name]) => name);
  const subdomains = [...subdomainsOf(world)].filter(([, { owner, parent }]) => owner === address && isValid(parent));
  const v2 = ofVersion2(world);
  const ofV1 = [...held, ...original].filter(isValid).filter(name => !v2.some(entry => entry.name === name));
  const ofV2 = v2.flatMap(entry => (entry.owner === address && entry.name !== undefined ? [entry.name] : []));
  const all = [...ofV1, ...ofV2, ...subdomains.map(([subdomain]) => subdomain)];
  return ok({ names: [...new Set(all)].sort() });
};

const V2 = /^(SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF|ST2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D[0-9A-Z]+)\.BNS-V2/;

/** Every id of version 2: the name of its first print, and whom its last NFT event names (docs/spec/names.md#version-2). */
function ofVersion2(world: World): { readonly name: string | undefined; readonly owner: string | undefined }[] {
  const [names, owners] = [new Map<string, string>(), new Map<string, string | undefined>()];
  for (const event of world.txs.flatMap(({ events }) => events)) {
    const { asset_identifier: asset, contract_identifier: contract, raw_value, recipient } = event[event.type];
    if (event.type.startsWith('nft_') && V2.test(asset)) {
      const value = clarityOf(raw_value);
      if (value?.type === 'uint') owners.set(String(value.value), recipient);
    } else if (event.type === 'contract_event' && V2.test(contract)) {
      const print = tupleOf(raw_value);
      const id = member(print, 'id');
      const number = id?.type === 'some' ? id.value : id;
      const name = nameOf(memberTuple(print, 'name') ?? print);
      if (number?.type === 'uint' && name !== undefined && !names.has(String(number.value)))
        names.set(String(number.value), name);
    }
  }
  return [...new Set([...names.keys(), ...owners.keys()])].map(id => ({ name: names.get(id), owner: owners.get(id) }));
}

/** Something that was done to a name. */
interface Operation {
  readonly name: string;
  readonly op: string;
  readonly owner: string;
  readonly height: number;
}

const operationsOf = (world: World): Operation[] =>
  world.txs.flatMap(tx => [...printed(tx), ...silentRenewal(world, tx)]);

/** What the name contract printed (docs/spec/names.md#name-operations). */
function printed(tx: Tx): Operation[] {
  return tx.events.flatMap(({ contract_event: log }) => {
    if (log?.topic !== 'print' || !isNameContract(log.contract_identifier)) return [];
    const metadata = memberTuple(memberTuple(tupleOf(log.raw_value), 'attachment'), 'metadata');
    const [op, sender] = [member(metadata, 'op'), member(metadata, 'tx-sender')];
    const name = nameOf(metadata);
    if (name === undefined || op?.type !== 'string-ascii' || sender?.type !== 'principal') return [];
    return [{ name, op: op.value, owner: sender.value.split('.', 1)[0] ?? '', height: tx.block.height }];
  });
}

/** A renewal without a zone file prints nothing: it is known from the call alone. */
function silentRenewal(world: World, { decoded: { origin, payload }, payload: { status }, block }: Tx): Operation[] {
  if (payload.kind !== 'contract_call' || status !== 'success' || payload.args.length !== 5) return [];
  if (payload.contractId !== `${bootAddress(world.network)}.bns` || payload.functionName !== 'name-renewal') return [];
  const [namespace, name, , , zonefileHash] = payload.args.map(({ hex }) => clarityOf(hex));
  if (zonefileHash?.type !== 'none' || name?.type !== 'buffer' || namespace?.type !== 'buffer') return [];
  const op = 'name-renewal';
  return [{ name: `${text(name.value)}.${text(namespace.value)}`, op, owner: origin.address, height: block.height }];
}

/** Who has the NFT of each name that ever had one; undefined where it was burned. */
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

export const nameRoutes: readonly Route[] = [{ template: '/v1/addresses/{blockchain}/{address}', answer: names }];
