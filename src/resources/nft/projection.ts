import type { BlockFacts } from '../../chain/block-facts.ts';
import type { EventFacts } from '../../chain/event-facts.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { hexBytes } from '../../lib/hex.ts';
import { firstPositionOf } from '../transactions/queries.ts';
import { reprOf } from '../transactions/record.ts';
import { MINTS_BY_ASSET, NFT_OWNERS } from './tables.ts';

type NftMove = Extract<EventFacts, { kind: 'nft' }>;

/**
 * Mints of non-fungible tokens and who owns each token (getNftMints, getNamesOwnedByAddress). The owner is whom the last event
 * of the canonical chain names; undoing a block restores the owner before it. Runs after the transactions projection.
 */
export const nftProjection: Projection = {
  name: 'nft',
  stateTables: [NFT_OWNERS],
  keptTables: [],
  lists: [MINTS_BY_ASSET],

  async prepare(block: BlockFacts, workspace: Workspace) {
    const moves = block.txs.flatMap(({ txId, events }, i) => events.filter(isMove).map(move => ({ txId, i, move })));
    if (moves.length === 0) return () => {};
    await Promise.all([
      workspace.load(
        NFT_OWNERS,
        moves.map(({ move }) => tokenKey(move)),
      ),
      workspace.loadLists(MINTS_BY_ASSET, new Set(moves.map(({ move }) => move.asset))),
    ]);
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { txId, i, move } of moves) {
        if (move.recipient === null) workspace.remove(NFT_OWNERS, tokenKey(move));
        else workspace.put(NFT_OWNERS, { ...tokenKey(move), owner: move.recipient });
        if (move.action === 'mint')
          workspace.append(MINTS_BY_ASSET, move.asset, { tx: first + i, record: mintRecord(txId, move) });
      }
    };
  },
};

const isMove = (event: EventFacts): event is NftMove => event.kind === 'nft';

const tokenKey = ({ asset, value }: NftMove) => ({ asset, token: hexBytes(value) });

/** A mint as getNftMints serves it, keys in emitted order. */
function mintRecord(txId: string, { index, recipient, value }: NftMove): string {
  return JSON.stringify({ event_index: index, value: { hex: value, repr: reprOf(value) }, tx_id: txId, recipient });
}
