import { everSeen, isCanonical } from '../everything.ts';
import { principalOf } from '../principals.ts';
import { eventRecord } from '../records/event.ts';
import { position } from '../records/v3-transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../route.ts';
import { sequenceOf } from '../transactions.ts';
import type { Payload, Tx, World } from '../world.ts';
import { cursorPage } from './v3/page.ts';

/** Every deployment of a contract, of whatever status, in whatever block. */
const deployments = (txs: readonly Tx[]): Tx[] =>
  txs.filter(({ decoded }) => decoded.payload.kind === 'smart_contract');

function idOf({ decoded: { origin, payload } }: Pick<Tx, 'decoded'>): string | undefined {
  return payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : undefined;
}

/** A failed deployment has no interface. */
const interfaceOf = ({ payload }: Tx): Payload => payload.contract_interface ?? payload.contract_abi ?? undefined;

/**
 * getContractByIdV1: a canonical deployment before one of a fork, of those one with an interface, of those the newest; of several in orphaned
 * blocks of one height the first seen, that of a microblock before. Those of the boot block count from block 1 on.
 */
const contract: Route['respond'] = (world, { id: given = '' }) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const rows = deployments(everSeen(world)).filter(tx => idOf(tx) === id && tx.block.height > 0);
  const place = (tx: Tx): number => (isCanonical(world, tx) ? -rows.indexOf(tx) : tx.block.arrival);
  const [best] = rows.toSorted(
    (a, b) =>
      Number(isCanonical(world, b)) - Number(isCanonical(world, a)) ||
      Number(interfaceOf(b) !== undefined) - Number(interfaceOf(a) !== undefined) ||
      b.block.height - a.block.height ||
      place(a) - place(b),
  );
  return best ? ok(contractRecord(world, best)) : failed(404);
};

/** By id the newest deployment that succeeded. */
export const deployedIn = (txs: readonly Tx[]): Map<string, Tx> =>
  new Map(deployments(txs).flatMap(tx => (interfaceOf(tx) === undefined ? [] : [[idOf(tx) ?? '', tx]])));

/** getSmartContractV3: the newest canonical deployment that succeeded. */
const deployed: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const tx = deployedIn(world.txs).get(id);
  if (tx?.decoded.payload.kind !== 'smart_contract') return failed(404);
  const include = query.getAll('include').flatMap(text => text.split(','));
  return ok({
    contract_id: id,
    clarity_version: tx.decoded.payload.clarityVersion,
    tx_id: tx.txId,
    ...position(tx),
    ...(include.includes('source_code') && { source_code: tx.decoded.payload.source.replaceAll('\0', '') }),
    ...(include.includes('abi') && { abi: JSON.stringify(withSortedKeys(interfaceOf(tx))) }),
  });
};

/** getSmartContractTwinsV3: successful deployments whose interface lists functions, with the source of this contract. */
const twins: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const own = deployedIn(world.txs).get(id);
  if (!own) return failed(404);
  const rows = deployments(world.txs).filter(
    tx => sourceOf(tx) === sourceOf(own) && Array.isArray(interfaceOf(tx)?.functions),
  );
  const cursors = rows.map((_, i) => String(i));
  return ok(
    cursorPage(rows, cursors, numberOf(query, 'cursor', 0), numberOf(query, 'limit', 20), tx => ({
      contract_id: idOf(tx),
      transaction: { tx_id: tx.txId, ...position(tx) },
    })),
  );
};

/** getSmartContractActivityV3. */
const activity: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const all = world.txs.filter(
    ({ decoded: { payload } }) => payload.kind === 'contract_call' && payload.contractId === id,
  );
  const limit = numberOf(query, 'limit', 1000);
  const calls = all.slice(-limit).reverse();
  const timeOf = ({ block }: Tx): number => block.payload.block_time || block.burnTime;
  const startOf = (tx: Tx): number => {
    const day = Math.floor(timeOf(tx) / 86_400);
    if (query.get('bucket') === 'hour') return timeOf(tx) - (timeOf(tx) % 3600);
    if (query.get('bucket') !== 'week') return day * 86_400;
    // 0 is a Monday; the first of January 1970 was a Thursday.
    return (day - ((new Date(day * 86_400_000).getUTCDay() + 6) % 7)) * 86_400;
  };
  const counted = <Key>(keyOf: (tx: Tx) => Key) =>
    [...new Set(calls.map(keyOf))].map(key => {
      const own = calls.filter(tx => keyOf(tx) === key);
      const failures = own.filter(({ payload }) => payload.status !== 'success').length;
      const callers = new Set(own.map(({ decoded }) => decoded.origin.address)).size;
      return { key, counts: { calls: own.length, failures, callers } };
    });
  const nameOf = ({ decoded: { payload } }: Tx): string =>
    payload.kind === 'contract_call' ? payload.functionName : '';
  const end = (tx: Tx | undefined) => (tx ? { block_height: tx.block.height, time: timeOf(tx) } : null);
  return ok({
    total: all.length,
    limit,
    from: end(calls.at(-1)),
    to: end(calls.at(0)),
    buckets: counted(startOf)
      .sort((a, b) => b.key - a.key)
      .map(({ key, counts }) => ({ start: key, ...counts })),
    functions: counted(nameOf)
      .sort((a, b) => b.counts.calls - a.counts.calls || (a.key < b.key ? -1 : 1))
      .map(({ key, counts }) => ({ function_name: key, ...counts })),
  });
};

const sourceOf = ({ decoded: { payload } }: Tx): string | undefined =>
  payload.kind === 'smart_contract' ? payload.source.replaceAll('\0', '') : undefined;

function contractRecord(world: World, tx: Tx): unknown {
  const { payload } = tx.decoded;
  if (payload.kind !== 'smart_contract') throw new Error(`${tx.txId} deploys nothing`);
  const abi = interfaceOf(tx);
  return {
    tx_id: tx.txId,
    canonical: isCanonical(world, tx),
    contract_id: idOf(tx),
    block_height: tx.block.height,
    clarity_version: payload.clarityVersion,
    source_code: payload.source.replaceAll('\0', ''),
    abi: abi === undefined ? null : JSON.stringify(withSortedKeys(abi)),
  };
}

/** Shorter keys first, of equal length by their bytes. */
function withSortedKeys(value: Payload): Payload {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map(key => [key, withSortedKeys(value[key])]));
}

/** getContractsByTraitV1: the newest block first; the order within a block is open. Nothing found, or an offset past it, is a 404. */
const byTrait: Route['respond'] = (world, _params, query): ApiResponse => {
  const wanted = traitOf(query.get('trait_abi') ?? '');
  if (!wanted) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const found = deployments(world.txs)
    .filter(tx => interfaceOf(tx) !== undefined && hasAll(interfaceOf(tx).functions, wanted))
    .reverse();
  const results = found.slice(offset, offset + limit).map(tx => contractRecord(world, tx));
  return found.length > 0 ? ok({ limit, offset, results }) : failed(404);
};

/** What counts of a trait: its functions, of those name, access, outputs and the types of the arguments. */
function traitOf(text: string): Payload[] | undefined {
  try {
    return JSON.parse(text).functions.map(({ name, access, args, outputs }: Payload) =>
      withoutAbsent({
        name,
        access,
        args: args.map(({ type }: Payload) => withoutAbsent({ type })),
        outputs,
      }),
    );
  } catch {
    return undefined;
  }
}

const withoutAbsent = (object: Payload): Payload =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** Each function of the trait is one of the contract's. */
const hasAll = (functions: Payload, wanted: readonly Payload[]): boolean =>
  Array.isArray(functions) && wanted.every(item => functions.some(own => complies(own, item)));

/** As the chain checks a trait (docs/spec/contracts.md#contracts-by-trait); what is left out is open. */
export function complies(own: Payload, wanted: Payload): boolean {
  const callable = (access: string): string => access.replace('read_only', 'public');
  if (wanted.name !== undefined && wanted.name !== own.name) return false;
  if (wanted.access !== undefined && callable(String(wanted.access)) !== callable(own.access)) return false;
  if (own.args.length !== wanted.args.length) return false;
  if (!own.args.every(({ type }: Payload, i: number) => includes(type, wanted.args[i].type))) return false;
  return wanted.outputs === undefined || includes(wanted.outputs.type, own.outputs.type);
}

/** Whether all values of the second type are of the first. */
function includes(big: Payload, small: Payload): boolean {
  if (big === undefined || small === undefined || small === 'none') return true;
  if (typeof big === 'string' || typeof small === 'string') return big === small;
  const [kind] = Object.keys(big);
  if (kind === undefined || !(kind in small)) return false;
  const [all, some] = [big[kind], small[kind]];
  if (kind === 'optional') return includes(all, some);
  if (kind === 'response') return includes(all.ok, some.ok) && includes(all.error, some.error);
  if (kind === 'list') return some.length === 0 || (all.length >= some.length && includes(all.type, some.type));
  if (kind !== 'tuple') return all.length >= some.length;
  const fits = ({ name, type }: Payload) =>
    some.some((other: Payload) => other.name === name && includes(type, other.type));
  return all.length === some.length && all.every(fits);
}

/** getContractEventsByIdV1: what a contract logged, the newest first. */
const logs: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const found = world.txs
    .flatMap(tx => tx.events.map(event => ({ tx, event })))
    .filter(({ event }) => event.contract_event?.contract_identifier === id)
    .reverse();
  const results = found.slice(offset, offset + limit).map(({ tx, event }) => eventRecord(tx, event));
  return ok({ limit, offset, results });
};

/** getSmartContractLogsV2: from the newest log that is not after the cursor. */
const logsFrom: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (id === undefined) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const cursor = query.get('cursor');
  const found = world.txs
    .flatMap(tx => tx.events.map((event, index) => ({ tx, event, place: [...placeOf(tx), index] })))
    .filter(({ event }) => event.contract_event?.contract_identifier === id)
    .reverse();
  const wanted = cursor?.split(':').map(Number);
  const anchor = wanted ? found.findIndex(({ place }) => !isAfter(place, wanted)) : 0;
  const first = anchor + offset;
  const results = anchor < 0 ? [] : found.slice(first, first + limit);
  if (anchor < 0) return failed(404);
  const at = (i: number) => (results.length > 0 && i >= 0 ? (found[i]?.place.join(':') ?? null) : null);
  return ok({
    limit,
    offset,
    total: found.length,
    next_cursor: first === 0 ? null : at(Math.max(first - limit, 0)),
    prev_cursor: at(first + limit),
    cursor: at(first),
    results: results.map(({ tx, event }) => eventRecord(tx, event)),
  });
};

const placeOf = (tx: Tx): number[] => [tx.block.height, sequenceOf(tx), tx.index];

/** The first number that differs decides. */
function isAfter(place: readonly number[], other: readonly number[]): boolean {
  const i = place.findIndex((number, at) => number !== other[at]);
  return i >= 0 && (place[i] ?? 0) > (other[i] ?? 0);
}

/** getSmartContractsStatusV2: the newest canonical deployment, else the pending one with the lowest nonce. */
const statuses: Route['respond'] = (world, _params, query) => {
  const given = query.getAll('contract_id');
  const ids = (given.length > 1 ? given : (given[0] ?? '').split(',')).map(principalOf);
  if (ids.includes(undefined)) return failed(400);
  return ok(Object.fromEntries(ids.map(id => [id, statusOf(world, id)])));
};

function statusOf(world: World, contract_id: string | undefined) {
  const mined = deployments(world.txs).findLast(tx => idOf(tx) === contract_id);
  if (mined) {
    const { txId: tx_id, block, payload } = mined;
    return { found: true, result: { status: payload.status, tx_id, contract_id, block_height: block.height } };
  }
  const [first] = world.pending
    .filter(tx => idOf(tx) === contract_id)
    .sort((a, b) => Number(a.decoded.origin.nonce - b.decoded.origin.nonce));
  return first ? { found: true, result: { status: 'pending', tx_id: first.txId, contract_id } } : { found: false };
}

/** getContractsByTraitV1 sorts by nothing but height: on both sides the contracts of one block are put in the order of their ids. */
const sortedByHeight = (body: Payload): Payload =>
  body.results
    ? {
        ...body,
        results: body.results.toSorted(
          (a: Payload, b: Payload) => b.block_height - a.block_height || (a.contract_id < b.contract_id ? -1 : 1),
        ),
      }
    : body;

/** Which of several orphaned deployments of the same height is shown is open. */
const withoutChoice = (body: Payload): Payload => {
  const { canonical, contract_id, block_height } = body;
  return canonical ? body : { canonical, contract_id, block_height };
};

export const contractRoutes: readonly Route[] = [
  { template: '/extended/v1/contract/by_trait', respond: byTrait, normalise: sortedByHeight },
  { template: '/extended/v1/contract/{id}', respond: contract, normalise: withoutChoice },
  { template: '/extended/v3/smart-contracts/{id}', respond: deployed },
  { template: '/extended/v3/smart-contracts/{id}/twins', respond: twins },
  { template: '/extended/v3/smart-contracts/{id}/activity', respond: activity },
  { template: '/extended/v1/contract/{id}/events', respond: logs },
  { template: '/extended/v2/smart-contracts/status', respond: statuses },
  { template: '/extended/v2/smart-contracts/{id}/logs', respond: logsFrom },
];
