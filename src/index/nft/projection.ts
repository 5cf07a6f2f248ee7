import { hexBytes } from '../../base/lib/hex.ts';
import type { KeyOf } from '../../base/store/table.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { packMint } from './stored.ts';
import { EVENTS_OF_TOKEN, historyName, MINTS_BY_ASSET, NFT_COLLECTIONS, NFT_HOLDINGS, NFT_OWNERS } from './tables.ts';

type NftMove = Extract<EventFacts, { kind: 'nft' }>;

/**
 * Mints of non-fungible tokens, their owners, and their histories (getNftMintsV1, getNftHoldingsV1, getNftHistoryV1,
 * getNamesOwnedByAddressV1). The last event of the canonical chain names the owner; undoing a block restores the owner before it.
 * Runs after the transactions projection.
 */
export const nftProjection: Projection = {
  name: 'nft',
  stateTables: [NFT_OWNERS, NFT_HOLDINGS, NFT_COLLECTIONS],
  keptTables: [],
  lists: [MINTS_BY_ASSET, EVENTS_OF_TOKEN],

  prepare(block: BlockFacts, workspace: Workspace) {
    const moves = block.txs.flatMap(({ txId, events }, i) => events.filter(isMove).map(move => ({ txId, i, move })));
    if (moves.length === 0) return undefined;
    const tokens = moves.map(({ move }) => tokenKey(move));
    const parties = moves.flatMap(({ move: { asset, sender, recipient } }) =>
      [sender, recipient].flatMap(owner => (owner === null ? [] : holdingKeys({ owner, asset }))),
    );
    workspace.load(NFT_OWNERS, tokens);
    workspace.load(NFT_HOLDINGS, parties);
    const assets = new Set(moves.map(({ move }) => move.asset));
    workspace.load(
      NFT_COLLECTIONS,
      [...assets, ALL].map(asset => ({ asset })),
    );
    workspace.loadLists(MINTS_BY_ASSET, assets);
    workspace.loadLists(EVENTS_OF_TOKEN, new Set(tokens.map(historyName)));
    return async (unit: Unit) => {
      // Usually the senders. The index may lack the event by which another owner got the token.
      await workspace.load(NFT_HOLDINGS, ownersOf(tokens, workspace).flatMap(holdingKeys));
      const first = firstPositionOf(unit, workspace);
      for (const asset of assets) addCollection(asset, workspace);
      for (const { txId, i, move } of moves) addMove(move, txId, first + i, workspace);
    };
  },
};

/** Used in place of an asset to mean all assets. */
const ALL = '';

const isMove = (event: EventFacts): event is NftMove => event.kind === 'nft';

type TokenKey = KeyOf<typeof NFT_OWNERS>;

const tokenKey = ({ asset, value }: NftMove): TokenKey => ({ asset, token: hexBytes(value) });

type Holding = KeyOf<typeof NFT_HOLDINGS>;

/** The keys for the asset, and for all assets. */
const holdingKeys = ({ owner, asset }: Holding): Holding[] => [
  { owner, asset },
  { owner, asset: ALL },
];

const ownersOf = (tokens: readonly TokenKey[], workspace: Workspace): Holding[] =>
  tokens.flatMap(key => workspace.get(NFT_OWNERS, key) ?? []);

function addMove(move: NftMove, txId: string, tx: number, workspace: Workspace): void {
  const { asset, index, sender, recipient } = move;
  const key = tokenKey(move);
  const before = workspace.get(NFT_OWNERS, key);
  if (before) addTokens(before, -1, workspace);
  if (recipient === null) workspace.remove(NFT_OWNERS, key);
  else {
    workspace.put(NFT_OWNERS, { ...key, owner: recipient, tx, event_index: index });
    addTokens({ owner: recipient, asset }, 1, workspace);
  }
  workspace.append(EVENTS_OF_TOKEN, historyName(key), { tx, event_index: index, sender, recipient });
  if (move.action === 'mint') workspace.append(MINTS_BY_ASSET, asset, { tx, record: packMint(txId, move) });
}

function addTokens(holding: Holding, more: 1 | -1, workspace: Workspace): void {
  const before = workspace.get(NFT_HOLDINGS, { owner: holding.owner, asset: holding.asset })?.tokens ?? 0;
  const owners = Number(before + more > 0) - Number(before > 0);
  countIn(holding.asset, { items: more, owners }, workspace);
  for (const key of holdingKeys(holding)) {
    const tokens = (workspace.get(NFT_HOLDINGS, key)?.tokens ?? 0) + more;
    if (tokens === 0) workspace.remove(NFT_HOLDINGS, key);
    else workspace.put(NFT_HOLDINGS, { ...key, tokens });
  }
}

/** Adds a collection. */
function addCollection(asset: string, workspace: Workspace): void {
  if (workspace.get(NFT_COLLECTIONS, { asset })) return;
  countIn(asset, { items: 0, owners: 0 }, workspace);
  countIn(ALL, { items: 1, owners: 0 }, workspace);
}

function countIn(asset: string, more: { readonly items: number; readonly owners: number }, workspace: Workspace): void {
  const { items, owners } = workspace.get(NFT_COLLECTIONS, { asset }) ?? { items: 0, owners: 0 };
  workspace.put(NFT_COLLECTIONS, { asset, items: items + more.items, owners: owners + more.owners });
}
