import type { BlockFacts } from '../../chain/block-facts.ts';
import type { Network } from '../../chain/network.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import type { RowOf } from '../../store/table.ts';
import { keepAttachments } from './attachments.ts';
import { type NameFact, nameFacts } from './facts.ts';
import { NAMES, NAMES_V2, NAMESPACES, SUBDOMAINS } from './tables.ts';
import { addNameV2Facts, nameV2Facts } from './version-2.ts';

/** Names of both versions of BNS and who has them (getNamesOwnedByAddress). Subdomains come with zone files: see attachments.ts. */
export const namesProjection: Projection = {
  name: 'names',
  stateTables: [NAMES, NAMES_V2, NAMESPACES],
  keptTables: [SUBDOMAINS],
  lists: [],

  async prepare({ txs, height }: BlockFacts, workspace: Workspace, network: Network) {
    const facts = txs.flatMap(tx => nameFacts(tx, network));
    const factsV2 = txs.flatMap(tx => nameV2Facts(tx, network));
    await Promise.all([
      workspace.load(NAMES_V2, factsV2),
      workspace.load(
        NAMES,
        facts.flatMap(fact => (fact.kind === 'namespace' ? [] : [{ token: fact.token.bytes }])),
      ),
      workspace.load(
        NAMESPACES,
        facts.flatMap(fact => (fact.kind === 'namespace' ? [{ namespace: fact.namespace }] : [])),
      ),
    ]);
    return () => {
      addNameV2Facts(factsV2, workspace);
      for (const fact of facts) {
        if (fact.kind === 'namespace') {
          const { namespace, lifetime } = fact;
          workspace.put(NAMESPACES, { namespace, lifetime, ready_at: height });
        } else {
          const before = workspace.get(NAMES, { token: fact.token.bytes }) ?? NEW_NAME;
          workspace.put(NAMES, nameRow(fact, before, height));
        }
      }
    };
  },

  hooks: ({ workspace, network }) => ({
    attachmentsArrived: attachments => keepAttachments(attachments, workspace, network),
  }),
};

/** What is known of a name besides its token. */
type NameState = Omit<RowOf<typeof NAMES>, 'token' | 'name'>;

const NEW_NAME: NameState = { owner: null, custody: 0, status: null, height: null, zonefile_hash: null };

/**
 * The row of a name after this fact. The owner is whom the NFT went to. Names that the chain began with have no NFT event:
 * theirs is who is named by an operation in block 1, until an NFT event says otherwise (docs/spec/names.md#name-operations).
 */
function nameRow(
  fact: Exclude<NameFact, { kind: 'namespace' }>,
  before: NameState,
  height: number,
): RowOf<typeof NAMES> {
  const { bytes: token, text: name } = fact.token;
  if (fact.kind === 'custody') return { ...before, token, name, owner: fact.owner, custody: 1 };
  return {
    token,
    name,
    owner: height === 1 && before.custody === 0 ? fact.sender : before.owner,
    custody: before.custody,
    status: fact.status,
    height,
    zonefile_hash: fact.zonefileHash ?? before.zonefile_hash,
  };
}
