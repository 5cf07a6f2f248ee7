import { isValidPrincipal } from '../../../src/codec/index.ts';
import { everSeen, isCanonical } from '../everything.ts';
import { clarity } from '../records/transaction.ts';
import { type Answer, failed, numberOf, ok, type Route } from '../route.ts';
import type { Payload, Tx, World } from '../world.ts';

/** Every deployment of a contract, of whatever status, in whatever block. */
const deployments = (txs: readonly Tx[]): Tx[] =>
  txs.filter(({ decoded }) => decoded.payload.kind === 'smart_contract');

function idOf({ decoded: { origin, payload } }: Tx): string | undefined {
  return payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : undefined;
}

/** Of a failed deployment there is none. */
const interfaceOf = ({ payload }: Tx): Payload => payload.contract_interface ?? payload.contract_abi ?? undefined;

/**
 * getContractById: a canonical deployment before one of a fork, of those one with an interface, of those the newest; of several in orphaned
 * blocks of one height the first seen, that of a microblock before. Those of the boot block count from block 1 on.
 */
const contract: Route['answer'] = (world, { id = '' }) => {
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

/** getContractsByTrait: the newest block first; the order within a block is open. Nothing found, or an offset past it, is a 404. */
const byTrait: Route['answer'] = (world, _params, query): Answer => {
  const wanted = traitOf(query.get('trait_abi') ?? '');
  if (!wanted) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const found = deployments(world.txs)
    .filter(tx => interfaceOf(tx) !== undefined && contains(interfaceOf(tx).functions, wanted))
    .reverse();
  const results = found.slice(offset, offset + limit).map(tx => contractRecord(world, tx));
  return results.length > 0 ? ok({ limit, offset, results }) : failed(404);
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

/** JSON containment: each wanted key with a contained value, each wanted element in some element, in any order. */
function contains(have: Payload, wanted: Payload): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(have) && wanted.every(item => have.some(other => contains(other, item)));
  if (typeof wanted !== 'object' || wanted === null) return have === wanted;
  if (typeof have !== 'object' || have === null || Array.isArray(have)) return false;
  return Object.keys(wanted).every(key => Object.hasOwn(have, key) && contains(have[key], wanted[key]));
}

/** getContractEventsById: what a contract logged, the newest first. */
const logs: Route['answer'] = (world, { id = '' }, query) => {
  if (!isValidPrincipal(id)) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const found = world.txs
    .flatMap(tx => tx.events.map(({ contract_event: log }, event_index) => ({ tx, log, event_index })))
    .filter(({ log }) => log?.contract_identifier === id)
    .reverse();
  const results = found.slice(offset, offset + limit).map(({ tx, log, event_index }) => ({
    event_index,
    event_type: 'smart_contract_log',
    tx_id: tx.txId,
    contract_log: { contract_id: id, topic: log.topic, value: clarity(log.raw_value) },
  }));
  return ok({ limit, offset, results });
};

/** getContractsByTrait sorts by nothing but height: on both sides the contracts of one block are put in the order of their ids. */
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
  { template: '/extended/v1/contract/by_trait', answer: byTrait, normalise: sortedByHeight },
  { template: '/extended/v1/contract/{id}', answer: contract, normalise: withoutChoice },
  { template: '/extended/v1/contract/{id}/events', answer: logs },
];
