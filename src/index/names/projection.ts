import { hexBytes } from '../../base/lib/hex.ts';
import { storableHeight } from '../../base/store/values.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Workspace, WrittenRow } from '../../ingest/indexer/workspace.ts';
import { keepAttachments } from './attachments.ts';
import { addBns2Facts, bns2Facts, loadBns2Names } from './bns-2.ts';
import { type NameFact, type NameSource, nameFacts, nameSource } from './facts.ts';
import { loadListedNames, type NameRows, setListedInBns1 } from './listed.ts';
import {
  BNS2_NAMES,
  BNS2_NAMESPACES,
  LISTED_NAMES,
  NAME_PARTS,
  NAMES,
  NAMESPACES,
  PAST_BNS2_NAMES,
  PAST_LISTED_NAMES,
  PAST_NAMES,
  SUBDOMAINS,
  ZONE_FILES,
} from './tables.ts';
import type { NameToken } from './token.ts';

/**
 * Names of both versions of BNS, their owners, and their zone files. Zone files arrive separately from blocks: see
 * attachments.ts.
 */
export const namesProjection: Projection = {
  name: 'names',
  stateTables: [NAMES, BNS2_NAMES, NAMESPACES, BNS2_NAMESPACES, LISTED_NAMES, NAME_PARTS],
  keptTables: [ZONE_FILES, SUBDOMAINS],
  lists: [PAST_NAMES, PAST_BNS2_NAMES, PAST_LISTED_NAMES],

  prepare({ txs, height }: BlockFacts, workspace: Workspace, network: Network) {
    return prepareNames(
      txs.map(tx => ({ ...nameSource(tx), txId: tx.txId })),
      height,
      workspace,
      network,
    );
  },

  hooks: ({ workspace, network }) => ({
    attachmentsArrived: attachments => keepAttachments(attachments, workspace, network),
  }),
};

/**
 * Loads the rows that the transactions of one block, or of a microblock on the tip, affect.
 * @returns a function that writes them once they are loaded; undefined if no transaction affects a name
 */
export function prepareNames(
  txs: readonly (NameSource & { readonly txId: string })[],
  height: number,
  rows: NameRows,
  network: Network,
): (() => Promise<void>) | undefined {
  const facts = txs.flatMap(tx => nameFacts(tx, network).map(fact => ({ ...fact, txId: tx.txId })));
  const ofBns2 = txs.flatMap(tx => bns2Facts(tx, network).map(fact => ({ ...fact, txId: tx.txId })));
  if (facts.length + ofBns2.length === 0) return undefined;
  const tokens = facts.flatMap(fact => (fact.kind === 'namespace' ? [] : [fact.token]));
  const namespaces = facts.map(fact => ({
    namespace: fact.kind === 'namespace' ? fact.namespace : fact.token.namespace,
  }));
  loadBns2Names(ofBns2, rows);
  rows.load(
    NAMES,
    tokens.map(({ bytes }) => ({ token: bytes })),
  );
  rows.load(NAMESPACES, namespaces);
  loadListedNames(
    tokens.map(({ text }) => text),
    rows,
  );
  return async () => {
    await addBns2Facts(ofBns2, height, rows);
    // The expiry of each name before this block.
    const expiries = new Map(
      tokens.map(({ text, bytes }) => [text, rows.get(NAMES, { token: bytes })?.expires ?? null]),
    );
    for (const fact of facts) {
      if (fact.kind === 'namespace') {
        const { namespace, lifetime } = fact;
        const before = rows.get(NAMESPACES, { namespace });
        rows.put(NAMESPACES, { namespace, lifetime, ready_at: before?.ready_at ?? height });
      } else {
        const before = rows.get(NAMES, { token: fact.token.bytes }) ?? NEW_NAME;
        const expires = expiryOf(fact, expiries.get(fact.token.text) ?? null, height, lifetimeOf(fact.token, rows));
        const row = nameRow(fact, before, height, expires);
        rows.put(NAMES, row);
        if (row.status !== null) setListedInBns1(row.name, row.status !== 'name-revoke', rows);
      }
    }
  };
}

/** Lifetime in blocks; null if the namespace is not launched. */
function lifetimeOf({ namespace }: NameToken, rows: NameRows): bigint | null {
  const row = rows.get(NAMESPACES, { namespace });
  return row ? BigInt(row.lifetime) : null;
}

/** The state of a name besides its token. */
type NameState = Omit<WrittenRow<typeof NAMES>, 'token' | 'name'>;

const NEW_NAME: NameState = {
  owner: null,
  custody: 0,
  status: null,
  height: null,
  zonefile_hash: null,
  address: null,
  tx_id: null,
  expires: null,
};

/**
 * The row of a name after this fact. The owner is the last recipient of the NFT. Names of the initial chain state have no NFT
 * event: an operation in block 1 names their owner, until an NFT event replaces it (docs/spec/names.md#name-operations).
 */
function nameRow(
  fact: Exclude<NameFact, { kind: 'namespace' }> & { readonly txId: string },
  before: NameState,
  height: number,
  expires: number,
): WrittenRow<typeof NAMES> {
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
    address: fact.recipient ?? fact.sender,
    tx_id: hexBytes(fact.txId),
    expires,
  };
}

/**
 * The block height at which a name expires after this fact: a transfer keeps the expiry from before its block, every other fact begins
 * a lifetime, if the namespace is launched (docs/spec/names.md#name-records).
 */
function expiryOf(fact: NameFact, before: number | null, height: number, lifetime: bigint | null): number {
  if (fact.kind === 'operation' && fact.status === 'name-transfer' && before !== null) return before;
  return lifetime === null ? 0 : storableHeight(BigInt(height) + lifetime);
}
