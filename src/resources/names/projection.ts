import type { BlockFacts } from '../../chain/block-facts.ts';
import type { Network } from '../../chain/network.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { StateRow } from '../../indexer/table-cache.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { keepAttachments } from './attachments.ts';
import { type NameFact, nameFacts } from './facts.ts';
import { NAMES, NAMESPACES, SUBDOMAINS } from './tables.ts';

/** Names of BNS version 1 and who has them (getNamesOwnedByAddress). Subdomains come with zone files: see attachments.ts. */
export const namesProjection: Projection = {
  name: 'names',
  stateTables: [NAMES, NAMESPACES],
  keptTables: [SUBDOMAINS],
  lists: [],

  async prepare({ txs, height }: BlockFacts, workspace: Workspace, network: Network) {
    const facts = txs.flatMap(tx => nameFacts(tx, network));
    await Promise.all([
      workspace.load(
        NAMES,
        facts.flatMap(fact => (fact.kind === 'namespace' ? [] : [[fact.token.bytes]])),
      ),
      workspace.load(
        NAMESPACES,
        facts.flatMap(fact => (fact.kind === 'namespace' ? [[fact.namespace]] : [])),
      ),
    ]);
    return () => {
      for (const fact of facts) {
        if (fact.kind === 'namespace') workspace.put(NAMESPACES, [fact.namespace, fact.lifetime, height]);
        else workspace.put(NAMES, nameRow(fact, workspace.get(NAMES, [fact.token.bytes]), height));
      }
    };
  },

  hooks: ({ workspace, network }) => ({
    attachmentsArrived: attachments => keepAttachments(attachments, workspace, network),
  }),
};

/**
 * The row of a name after this fact. The owner is whom the NFT went to. Names that the chain began with have no NFT event:
 * theirs is who is named by an operation in block 1, until an NFT event says otherwise (docs/spec/names.md#name-operations).
 */
function nameRow(fact: Exclude<NameFact, { kind: 'namespace' }>, before: StateRow | null, height: number): StateRow {
  const { bytes, text } = fact.token;
  const [, , owner = null, custody = 0, status = null, changedAt = null, zonefileHash = null] = before ?? [];
  if (fact.kind === 'custody') return [bytes, text, fact.owner, 1, status, changedAt, zonefileHash];
  const ownerNow = height === 1 && custody === 0 ? fact.sender : owner;
  return [bytes, text, ownerNow, custody, fact.status, height, fact.zonefileHash ?? zonefileHash];
}
