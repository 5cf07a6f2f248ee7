import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { appendSearchTexts, TEXT_PARTS } from './search-texts.ts';
import { ASSET_TEXTS, ASSETS } from './tables.ts';

/** The assets that canonical transactions moved, and the texts by which they are found (searchV3). */
export const assetsProjection: Projection = {
  name: 'assets',
  stateTables: [ASSETS],
  keptTables: [],
  lists: [ASSET_TEXTS],

  prepare({ txs }: BlockFacts, workspace: Workspace) {
    const kinds = new Map<string, 'ft' | 'nft'>();
    for (const { events } of txs)
      for (const event of events) if (namesAsset(event) && !kinds.has(event.asset)) kinds.set(event.asset, event.kind);
    if (kinds.size === 0) return undefined;
    workspace.load(
      ASSETS,
      [...kinds.keys()].map(asset => ({ asset })),
    );
    workspace.loadLists(ASSET_TEXTS, TEXT_PARTS);
    return () => {
      for (const [asset, kind] of kinds) {
        if (workspace.get(ASSETS, { asset })) continue;
        workspace.put(ASSETS, { asset, kind });
        appendSearchTexts(ASSET_TEXTS, asset, workspace);
      }
    };
  },
};

type TokenEvent = Extract<EventFacts, { kind: 'ft' | 'nft' }>;

/** Asset identifiers that contracts can have. Any other text from a node names no asset. */
const IDENTIFIER = /^S[0-9A-Z]{20,41}\.[a-zA-Z][a-zA-Z0-9_-]{0,127}::[a-zA-Z][a-zA-Z0-9\-_!?+<>=/*]{0,127}$/;

/** Whether an event moves an asset with a valid identifier. */
export const namesAsset = (event: EventFacts): event is TokenEvent =>
  (event.kind === 'ft' || event.kind === 'nft') && IDENTIFIER.test(event.asset);
