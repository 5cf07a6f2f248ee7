import { everSeen } from '../../everything.ts';
import { storedTime } from '../../records/block.ts';
import { numberOf, ok, type Route } from '../../route.ts';
import type { Block, World } from '../../world.ts';
import { holdersOf } from '../balances.ts';
import { deployedIn } from '../contracts.ts';
import { namedIn } from '../search.ts';

const TYPES = ['block', 'bitcoin_block', 'transaction', 'address', 'smart_contract', 'token'];

/** searchV3: of everything there is, what begins so (docs/spec/search.md#version-3). */
const search: Route['respond'] = (world, _params, query) => {
  const text = (query.get('q') ?? '').trim();
  const types = query.has('type') ? query.getAll('type').flatMap(words => words.split(',')) : TYPES;
  const hash = /^(0x)?[0-9a-f]{8,64}$/i.test(text) ? `0x${text.replace(/^0x/i, '').toLowerCase()}` : undefined;
  const height = /^\d+$/.test(text) ? Number(text) : undefined;
  const principal = /^S[0-9A-Z]{4}/i.test(text) ? spelled(text) : undefined;
  const found: Readonly<Record<string, readonly object[]>> = {
    block: blocks(world, height, hash).map(block => ({
      height: block.height,
      hash: block.hash,
      index_hash: block.indexHash,
      time: storedTime(block) || block.burnTime,
    })),
    bitcoin_block: bitcoinBlocks(world, height, hash).map(({ burnHeight, burnHash, burnTime }) => ({
      height: burnHeight,
      hash: burnHash,
      time: burnTime,
    })),
    transaction: hash === undefined ? [] : transactions(world, hash),
    address: principal === undefined ? [] : addresses(world, principal).map(address => ({ address })),
    smart_contract: principal === undefined ? [] : contracts(world, principal),
    token: principal === undefined ? [] : tokens(world, principal).map(asset_identifier => ({ asset_identifier })),
  };
  const hits = TYPES.filter(type => types.includes(type)).flatMap(type =>
    (found[type] ?? []).map(what => ({ type, [type]: what })),
  );
  return ok({ results: hits.slice(0, numberOf(query, 'limit', 10)) });
};

function spelled(text: string): string {
  const [address = '', ...rest] = text.split('.');
  return [address.toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1'), ...rest].join('.');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function blocks({ blocks }: World, height: number | undefined, hash: string | undefined): Block[] {
  const startingWith = (of: (block: Block) => string) =>
    blocks.filter(block => hash !== undefined && of(block).startsWith(hash)).sort((a, b) => compare(of(a), of(b)));
  const all = [
    ...blocks.filter(block => block.height === height),
    ...startingWith(block => block.hash),
    ...startingWith(block => block.indexHash),
  ];
  return [...new Set(all)];
}

/** Each by the newest of its blocks. */
function bitcoinBlocks({ blocks }: World, height: number | undefined, hash: string | undefined): Block[] {
  const all = [
    blocks.findLast(({ burnHeight }) => burnHeight === height),
    blocks.findLast(({ burnHash }) => burnHash === hash),
  ].filter(block => block !== undefined);
  return all.filter((block, i) => all.findIndex(({ burnHash }) => burnHash === block.burnHash) === i);
}

function transactions({ txs, pending }: World, hash: string) {
  const confirmed = new Map(
    txs.map(({ txId, decoded, payload }) => [
      txId,
      { tx_id: txId, type: decoded.payload.kind, status: payload.status },
    ]),
  );
  const waiting = pending.map(({ txId, decoded }) => ({ tx_id: txId, type: decoded.payload.kind, status: 'pending' }));
  const sorted = (all: readonly { readonly tx_id: string }[]) => all.toSorted((a, b) => compare(a.tx_id, b.tx_id));
  return [...sorted([...confirmed.values()]), ...sorted(waiting)].filter(({ tx_id }) => tx_id.startsWith(hash));
}

const addresses = (world: World, beginning: string): string[] =>
  [...namedIn(everSeen(world))].filter(name => !name.includes('.') && name.startsWith(beginning)).sort(compare);

const contracts = ({ txs }: World, beginning: string) =>
  [...deployedIn(txs)]
    .map(([contract_id, { txId }]) => ({ contract_id, tx_id: txId }))
    .filter(({ contract_id }) => contract_id.startsWith(beginning))
    .sort((a, b) => compare(a.contract_id, b.contract_id));

function tokens(world: World, beginning: string): string[] {
  const moved = world.txs.flatMap(({ events }) =>
    events.flatMap(event => (/^ft_/.test(event.type) ? [String(event[event.type].asset_identifier)] : [])),
  );
  return [...new Set(moved)]
    .filter(asset => asset.startsWith(beginning) && holdersOf(world, asset).length > 0)
    .sort(compare);
}

export const v3SearchRoutes: readonly Route[] = [{ template: '/extended/v3/search', respond: search }];
