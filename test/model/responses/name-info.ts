import { createHash } from 'node:crypto';
import { failed, numberOf, ok, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';
import { isNameContract, member, memberTuple, nameOf, text, tupleOf } from './name-values.ts';
import { type Bns2Name, type Operation, ofBns2, operationsOf, printed, silentRenewal } from './names.ts';
import { subdomainsOf, zoneFilesOf } from './subdomains.ts';

/** getNameInfoV1 (docs/spec/names.md#name-records). */
const info: Route['respond'] = (world, { name = '' }) => {
  if (name.split('.').length === 3) return subdomain(world, name);
  const v2 = idOf(world, name);
  if (v2) return v2.owner !== undefined && v2.last ? ok(bns2Info(v2, v2.owner, v2.last)) : failed(404);
  if (!isValid(world, name)) return failed(404);
  const operations = operationsOf(world).filter(operation => operation.name === name);
  const last = operations.at(-1);
  if (!last) return failed(404);
  const hash = operations.findLast(operation => operation.hash !== '')?.hash;
  return ok({
    address: last.op === 'name-transfer' ? (recipientOf(last) ?? last.owner) : last.owner,
    blockchain: 'stacks',
    last_txid: last.tx.txId,
    status: last.op,
    zonefile_hash: hash ?? '',
    expire_block: expiriesOf(world).get(name) ?? 0,
    zonefile: zoneFilesOf(world).findLast(file => file.name === name && file.hash === hash)?.text ?? '',
  });
};

function subdomain(world: World, name: string) {
  const parent = name.split('.').slice(1).join('.');
  const found = isValid(world, parent) ? subdomainsOf(world).get(name) : undefined;
  if (found)
    return ok({
      address: found.owner,
      blockchain: 'stacks',
      last_txid: found.txId,
      status: 'registered_subdomain',
      zonefile_hash: shortHash(found.zoneFile),
      resolver: found.resolver,
      zonefile: found.zoneFile.toString('ascii'),
    });
  const stating = zoneFilesOf(world).findLast(file => file.name === parent && file.subdomains.length > 0);
  const resolver = stating?.subdomains[0]?.[1].resolver;
  return isValid(world, parent) && resolver ? { status: 302, body: undefined } : failed(404);
}

const shortHash = (zoneFile: Uint8Array): string => createHash('sha256').update(zoneFile).digest('hex').slice(32);

/** fetchZoneFileV1, getHistoricalZoneFileV1. */
const zoneFile: Route['respond'] = (world, { name = '', hash }) => {
  const wanted = hash?.replace(/^0x/i, '').toLowerCase();
  const labels = name.split('.');
  if (labels.length > 2) {
    const parent = labels.slice(-2).join('.');
    const stated = zoneFilesOf(world).flatMap(({ subdomains }) => subdomains);
    const [, found] =
      stated.findLast(
        ([full, { zoneFile }]) => full === name && (wanted === undefined || shortHash(zoneFile) === wanted),
      ) ?? [];
    return found && isValid(world, parent) ? ok({ zonefile: found.zoneFile.toString('ascii') }) : failed(404);
  }
  const isOfVersion1 = isValid(world, name) && !idOf(world, name);
  const found = zoneFilesOf(world).findLast(
    file => isOfVersion1 && file.name === name && (wanted === undefined || file.hash === wanted),
  );
  const isNameWithoutFile = wanted === undefined && info(world, { name }, new URLSearchParams()).status === 200;
  return found || isNameWithoutFile ? ok({ zonefile: found?.text ?? '' }) : failed(404);
};

/** fetchSubdomainsListForNameV1. */
const subdomains: Route['respond'] = (world, { name = '' }) =>
  ok(
    isValid(world, name)
      ? [...subdomainsOf(world)].flatMap(([full, { parent }]) => (parent === name ? [full] : [])).sort(byBytes)
      : [],
  );

/** getAllNamesV1. */
const all: Route['respond'] = (world, _params, query) => pageOf(listed(world), query);

/** getNamespaceNamesV1. */
const ofNamespace: Route['respond'] = (world, { namespace = '' }, query) =>
  namespacesOf(world).includes(namespace)
    ? pageOf(
        listed(world).filter(name => name.endsWith(`.${namespace}`)),
        query,
      )
    : failed(400);

function pageOf(names: readonly string[], query: URLSearchParams) {
  const page = numberOf(query, 'page', 0);
  const shown = names.slice(100 * page, 100 * page + 100);
  return shown.length === 0 && page !== 0 ? failed(400) : ok(shown);
}

/** getAllNamespacesV1. */
const namespaces: Route['respond'] = world => ok({ namespaces: namespacesOf(world) });

/** Every name with an owner, sorted: version 2 decides for names that it knows. */
export function listed(world: World): string[] {
  const v2 = ofBns2(world);
  const known = new Set(v2.map(({ name }) => name));
  const ofBns1 = new Set(operationsOf(world).map(({ name }) => name));
  return [
    ...[...ofBns1].filter(name => isValid(world, name) && !known.has(name)),
    ...new Set(v2.flatMap(({ name, owner }) => (name !== undefined && owner !== undefined ? [name] : []))),
  ].sort(byBytes);
}

export function namespacesOf(world: World): string[] {
  const launched = world.txs.flatMap(tx => launches(tx).map(([namespace]) => namespace));
  const ofNames = ofBns2(world).flatMap(({ name }) => name?.split('.').at(-1) ?? []);
  return [...new Set([...launched, ...ofNames])].sort(byBytes);
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const isValid = (world: World, name: string): boolean =>
  (operationsOf(world).findLast(operation => operation.name === name)?.op ?? 'name-revoke') !== 'name-revoke';

/** The id of version 2 that has this name: of several, one with an owner. */
function idOf(world: World, name: string): Bns2Name | undefined {
  const ids = ofBns2(world)
    .filter(id => id.name === name)
    .sort((a, b) => (a.last?.height ?? 0) - (b.last?.height ?? 0));
  return ids.findLast(({ owner }) => owner !== undefined) ?? ids.at(-1);
}

const STATUSES: Readonly<Record<string, string>> = {
  'new-name': 'name-register',
  'new-airdrop': 'name-import',
  'transfer-name': 'name-transfer',
  'renew-name': 'name-renewal',
  'burn-name': 'name-revoke',
};

const bns2Info = ({ renewal }: Bns2Name, address: string, { topic, txId }: { topic: string; txId: string }) => ({
  address,
  blockchain: 'stacks',
  last_txid: txId,
  status: STATUSES[topic],
  zonefile_hash: '',
  expire_block: renewal,
  zonefile: '',
});

/** The new owner of the name's NFT in the transaction of a transfer. */
function recipientOf({ name, tx }: Operation): string | undefined {
  const moved = tx.events.find(event => {
    const { asset_identifier: asset, raw_value, recipient } = event[event.type];
    if (!event.type.startsWith('nft_') || recipient === undefined) return false;
    const [contract, id] = asset.split('::');
    return isNameContract(contract) && id === 'names' && nameOf(tupleOf(raw_value)) === name;
  });
  return moved?.[moved.type].recipient;
}

/**
 * At which height each name expires: every operation begins a lifetime of its namespace, if that is launched; a transfer leaves what
 * was before its block, or streamed microblock.
 */
function expiriesOf(world: World): Map<string, number> {
  const lifetimes = new Map<string, number>();
  const expiries = new Map<string, number>();
  let before = new Map<string, number>();
  let unit: string | undefined;
  for (const tx of world.txs) {
    const of = tx.block.hash === '0x' ? (tx.microblock?.hash ?? '') : tx.block.hash;
    if (of !== unit) before = new Map(expiries);
    unit = of;
    for (const event of tx.events) {
      const single = { ...tx, events: [event] };
      for (const [namespace, lifetime] of launches(single)) lifetimes.set(namespace, lifetime);
      for (const operation of printed(single)) operate(operation);
    }
    for (const operation of silentRenewal(world, tx)) operate(operation);
  }
  return expiries;

  function operate({ name, op, height }: Operation): void {
    const lifetime = lifetimes.get(name.split('.').at(-1) ?? '');
    const begun = lifetime === undefined ? 0 : height + lifetime;
    expiries.set(name, op === 'name-transfer' ? (before.get(name) ?? begun) : begun);
  }
}

/** The namespaces that a transaction launches, with the lifetimes of their names. */
function launches(tx: Tx): [string, number][] {
  return tx.events.flatMap(({ contract_event: log }): [string, number][] => {
    if (log?.topic !== 'print' || !isNameContract(log.contract_identifier)) return [];
    const print = tupleOf(log.raw_value);
    const [status, namespace] = [member(print, 'status'), member(print, 'namespace')];
    const lifetime = member(memberTuple(print, 'properties'), 'lifetime');
    if (status?.type !== 'string-ascii' || status.value !== 'ready' || namespace?.type !== 'buffer') return [];
    return lifetime?.type === 'uint' ? [[text(namespace.value), Number(lifetime.value)]] : [];
  });
}

export const nameInfoRoutes: readonly Route[] = [
  { template: '/v1/names', respond: all },
  { template: '/v1/names/{name}', respond: info },
  { template: '/v1/names/{name}/zonefile', respond: zoneFile },
  { template: '/v1/names/{name}/zonefile/{hash}', respond: zoneFile },
  { template: '/v1/names/{name}/subdomains', respond: subdomains },
  { template: '/v1/namespaces', respond: namespaces },
  { template: '/v1/namespaces/{namespace}/names', respond: ofNamespace },
];
