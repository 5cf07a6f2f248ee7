import { principalOf } from '../../principals.ts';
import { blockRecord, storedTime } from '../../records/block.ts';
import { position, summaryRecord, times, waitingRecord } from '../../records/v3-transaction.ts';
import { failed, ok, type Route } from '../../route.ts';
import type { Block, Payload, Tx, World } from '../../world.ts';
import { takesPart } from '../address-transactions.ts';
import { deployedIn } from '../contracts.ts';
import { listed, namespacesOf } from '../name-info.ts';
import { namedIn } from '../search.ts';
import { slotsOf } from '../slot-holders.ts';

const TYPES = ['block', 'bitcoin_block', 'transaction', 'address', 'smart_contract', 'token'];
const FURTHER = ['pending_transaction', 'name', 'namespace', 'bitcoin_address', 'function'];

/** How an entity matches: the lower the better. */
const EXACT = 0;
const BEGINNING = 1;
const NAME = 2;

interface Found {
  readonly match: number;
  readonly result: object;
}

/** What a text can be (docs/spec/search.md#terms-of-version-3). */
interface Term {
  readonly height: number | undefined;
  readonly hash: string | undefined;
  /** What a hash also has to end with. */
  readonly end: string;
  readonly address: string | undefined;
  readonly dotted: string | undefined;
  readonly name: string | undefined;
  readonly names: string | undefined;
  readonly text: string;
}

/** searchV3 (docs/spec/search.md#version-3). */
const search: Route['respond'] = (world, _params, query) => {
  const types = query.has('type') ? query.getAll('type').flatMap(words => words.split(',')) : TYPES;
  if (new Set(types).size < types.length) return failed(400);
  const term = readTerm((query.get('q') ?? '').trim());
  const { text: _, end: __, ...classes } = term;
  const further = FURTHER.filter(type => types.includes(type) && FURTHER_CLASSES[type]?.test(term.text));
  if (Object.values(classes).every(value => value === undefined) && further.length === 0) return failed(400);
  const found: Readonly<Record<string, () => readonly Found[]>> = {
    block: () => blocks(world, term),
    bitcoin_block: () => bitcoinBlocks(world, term),
    transaction: () => transactions(world, term),
    address: () => addresses(world, term),
    smart_contract: () => contracts(world, term),
    token: () => tokens(world, term),
    pending_transaction: () =>
      byId(
        world.pending
          .filter(tx => isLike(tx.txId, term))
          .sort((a, b) => compare(a.txId, b.txId))
          .map(tx => [tx.txId, waitingRecord(tx)]),
        term.hash,
      ),
    name: () => (further.includes('name') ? names(world, term.text.toLowerCase()) : []),
    namespace: () =>
      further.includes('namespace')
        ? byId(
            namespacesOf(world).map(namespace => [namespace, { namespace }]),
            term.text.toLowerCase().replace(/^\./, ''),
          )
        : [],
    bitcoin_address: () => (further.includes('bitcoin_address') ? bitcoinAddresses(world, term.text) : []),
    function: () => functions(world, term.name && term.text),
  };
  const hits = [...TYPES, ...FURTHER].flatMap(type =>
    types.includes(type) ? (found[type]?.() ?? []).slice(0, 20).map(hit => ({ type, ...hit })) : [],
  );
  const ranked = [EXACT, BEGINNING, NAME].flatMap(match => hits.filter(hit => hit.match === match));
  return ok({ results: ranked.slice(0, 20).map(({ type, result }) => ({ type, result })) });
};

const FURTHER_CLASSES: Readonly<Record<string, RegExp>> = {
  name: /^(?=.{3})[\w-]+(\.[\w-]*)*$/,
  namespace: /^\.?[\w-]{1,20}$/,
  bitcoin_address: /^[a-z0-9]{6,90}$/i,
};

function readTerm(text: string): Term {
  const [, short, end = ''] = /^(?:0x)?([0-9a-f]{6,56})(?:…|\.\.\.?)((?:[0-9a-f]{2}){2,4})$/i.exec(text) ?? [];
  const digits = /^(?:0x)?([0-9a-f]{8,64})$/i.exec(text)?.[1] ?? short;
  const dot = text.indexOf('.');
  const isName = /^[a-z][\w!?+<>=/*-]{2,}$/i.test(text);
  const isNames = text.length > 2 && /^[a-z][\w!?+<>=/*-]*(::[a-z][\w!?+<>=/*-]*)?$/i.test(text);
  return {
    text,
    height: /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined,
    hash: digits && `0x${digits.toLowerCase()}`,
    end: end.toLowerCase(),
    address: dot >= 0 ? undefined : spelled(text, 6),
    dotted: dot < 0 ? undefined : dottedOf(spelled(text.slice(0, dot), 1), text.slice(dot)),
    name: isName ? text.toLowerCase() : undefined,
    names: isNames ? text.toLowerCase() : undefined,
  };
}

const dottedOf = (address: string | undefined, rest: string): string | undefined => address && address + rest;

function spelled(text: string, least: number): string | undefined {
  const isBeginning = /^S[0-9A-HJKMNP-TV-Z]{0,40}$/i.test(text) && text.length >= least;
  return principalOf(text) ?? (isBeginning ? text.toUpperCase() : undefined);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Those whose id begins with a text. */
const byId = (all: readonly (readonly [id: string, result: object])[], beginning: string | undefined): Found[] =>
  all
    .filter(([id]) => beginning !== undefined && id.startsWith(beginning))
    .map(([id, result]) => ({ match: id === beginning ? EXACT : BEGINNING, result }))
    .sort((a, b) => a.match - b.match);

/** Whether a hash begins, and of a shortened one also ends, like the term. */
const isLike = (id: string, { hash, end }: Term): boolean =>
  hash !== undefined && id.startsWith(hash) && id.endsWith(end);

function blocks({ blocks }: World, term: Term): Found[] {
  const { height, hash } = term;
  const recordOf = (block: Block) => {
    const { hash, height } = blockRecord(block);
    return { height, hash, index_hash: block.indexHash, ...times(storedTime(block) || block.burnTime) };
  };
  const named = blocks.filter(block => block.height === height);
  const begun = blocks.filter(
    block => !named.includes(block) && (isLike(block.hash, term) || isLike(block.indexHash, term)),
  );
  return [
    ...named.map(block => ({ match: EXACT, result: recordOf(block) })),
    ...begun.toReversed().map(block => ({ match: hash?.length === 66 ? EXACT : BEGINNING, result: recordOf(block) })),
  ];
}

/** Announced ones; without one at a height, or of a whole hash, the one that blocks stand on. */
function bitcoinBlocks({ blocks, burnBlocks }: World, term: Term): Found[] {
  const { height, hash } = term;
  const upon = blocks.map(({ burnHash, burnHeight }) => ({ hash: burnHash, height: burnHeight }));
  const at = burnBlocks.find(block => block.height === height) ?? upon.findLast(block => block.height === height);
  const announced = burnBlocks.filter(block => isLike(block.hash, term)).toReversed();
  const exact = hash?.length === 66;
  const found = exact && announced.length === 0 ? upon.filter(block => block.hash === hash).slice(-1) : announced;
  return [
    ...(at ? [{ ...at, match: EXACT }] : []),
    ...found.filter(block => block.hash !== at?.hash).map(block => ({ ...block, match: exact ? EXACT : BEGINNING })),
  ].map(({ height, hash, match }) => ({ match, result: { height, hash } }));
}

function transactions({ txs }: World, term: Term): Found[] {
  const last = new Map(txs.map(tx => [tx.txId, tx]));
  const newestFirst = txs.filter(tx => last.get(tx.txId) === tx).reverse();
  return byId(
    newestFirst.filter(tx => isLike(tx.txId, term)).map(tx => [tx.txId, summaryRecord(tx)]),
    term.hash,
  );
}

/** With their canonical transactions: those that lock its STX count, too. */
function addresses({ txs }: World, { address }: Term): Found[] {
  const sponsors = txs.flatMap(({ decoded: { sponsor } }) => sponsor?.address ?? []);
  const known = [...new Set([...namedIn(txs), ...sponsors])].filter(name => !name.includes('.'));
  const locks = (tx: Tx, name: string): boolean =>
    tx.events.some(event => event.stx_lock_event?.locked_address === name);
  const countOf = (name: string): number => txs.filter(tx => takesPart(tx, name) || locks(tx, name)).length;
  return byId(
    known
      .filter(name => address && name.startsWith(address))
      .map(name => ({ name, count: countOf(name) }))
      .sort((a, b) => b.count - a.count || compare(a.name, b.name))
      .map(({ name }) => [name, { principal: name }]),
    address,
  );
}

/** An entity with a name, the later ones are the newer. */
interface Named {
  readonly id: string;
  readonly result: object;
}

/** By the id; then by the name behind its dot, where it is nearer to the beginning first, then the shorter; then by the address. */
function named(
  all: readonly Named[],
  beginning: string | undefined,
  name: string | undefined,
  address: string | undefined,
): Found[] {
  const nameOf = ({ id }: Named): string => id.slice(id.indexOf('.') + 1).toLowerCase();
  const placeIn = (entity: Named): number => (name === undefined ? -1 : nameOf(entity).indexOf(name));
  const isNamed = (entity: Named): boolean => placeIn(entity) >= 0 && placeIn(entity) < 64;
  const begun = byId(
    all.map(({ id, result }) => [id, result]),
    beginning,
  );
  const byName = all
    .filter(isNamed)
    .sort((a, b) => placeIn(a) - placeIn(b) || nameOf(a).length - nameOf(b).length)
    .concat(all.filter(({ id }) => address && id.startsWith(address)));
  return [...begun, ...[...new Set(byName)].map(({ result }) => ({ match: NAME, result }))];
}

function contracts({ txs }: World, { dotted, name, address }: Term): Found[] {
  const newestFirst = [...deployedIn(txs)].reverse().map(([contract_id, tx]) => {
    const { payload } = tx.decoded;
    const clarity_version = payload.kind === 'smart_contract' ? payload.clarityVersion : null;
    return { id: contract_id, result: { contract_id, clarity_version, tx_id: tx.txId, ...position(tx) } };
  });
  return named(newestFirst, dotted?.split('::')[0], name, address);
}

const ASSET = /^S[0-9A-Z]{20,41}\.[a-z][\w-]{0,127}::[a-z][\w!?+<>=/*-]{0,127}$/i;

function tokens({ txs }: World, { dotted, names, address }: Term): Found[] {
  const moved = txs.flatMap(({ events }) =>
    events.flatMap((event: Payload): [string, string][] => {
      const [kind = ''] = event.type.split('_');
      const asset = event[event.type].asset_identifier;
      return (kind === 'ft' || kind === 'nft') && ASSET.test(asset) ? [[asset, kind]] : [];
    }),
  );
  const kinds = new Map(moved.toReversed());
  const all = [...kinds]
    .sort(([a], [b]) => compare(a, b))
    .map(([asset_identifier, asset_type]) => {
      const [contract_id, asset_name] = asset_identifier.split('::');
      return { id: asset_identifier, result: { asset_identifier, asset_type, contract_id, asset_name } };
    });
  return named(all, dotted, names, address);
}

function bitcoinAddresses(world: World, text: string): Found[] {
  const paid = world.burnBlocks.flatMap(({ payload }) =>
    payload.reward_recipients.map(({ recipient }: Payload) => recipient),
  );
  const all = [...new Set<string>([...paid, ...slotsOf(world).map(({ address }) => address)])].sort(compare);
  return byId(
    all.map(address => [address, { address }]),
    /^(bc|tb|bcrt)1/i.test(text) ? text.toLowerCase() : text,
  );
}

/** Those that begin so, then those with it inside, three characters or more before the last dot. */
function names(world: World, text: string): Found[] {
  const all = listed(world);
  const placeIn = (name: string): number => name.indexOf(text, 1);
  const within = all
    .filter(name => !name.startsWith(text) && placeIn(name) > 0 && placeIn(name) <= name.lastIndexOf('.') - 3)
    .sort((a, b) => placeIn(a) - placeIn(b))
    .map(name => ({ match: NAME, result: { name } }));
  return [
    ...byId(
      all.map(name => [name, { name }]),
      text,
    ),
    ...within,
  ];
}

/** Of each name how many deployments have it. */
function functions({ txs }: World, name: string | undefined): Found[] {
  const deployments = txs.flatMap(({ decoded, payload }) =>
    decoded.payload.kind === 'smart_contract' ? (payload.contract_interface ?? payload.contract_abi ?? []) : [],
  );
  const counts = new Map<string, number>();
  for (const { functions } of deployments)
    for (const own of new Set<string>((functions ?? []).map((fn: Payload) => fn.name)))
      counts.set(own, (counts.get(own) ?? 0) + 1);
  return byId(
    [...counts]
      .sort(([a], [b]) => compare(a, b))
      .map(([function_name, contracts]) => [function_name, { function_name, contracts }]),
    name,
  );
}

export const v3SearchRoutes: readonly Route[] = [{ template: '/extended/v3/search', respond: search }];
