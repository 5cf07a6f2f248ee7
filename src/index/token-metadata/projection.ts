import { hexBytes } from '../../base/lib/hex.ts';
import type { KeyOf, RowOf } from '../../base/store/table.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { type TokenFact, tokenFacts } from './facts.ts';
import { standardOfClass, type UpdateNotification } from './notification.ts';
import { STANDARDS, type TokenStandard } from './standard.ts';
import { ALL_TOKEN_EVENTS, TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD, TOKENS } from './tables.ts';

/**
 * Token contracts, their tokens, and all changes that require fetching a token. It writes only data of the chain, never fetched
 * metadata, and follows forks like the rest of the index.
 */
export const tokenMetadataProjection: Projection = {
  name: 'token_metadata',
  stateTables: [TOKEN_CONTRACTS, TOKENS],
  keptTables: [],
  lists: [TOKEN_CONTRACTS_BY_STANDARD, ALL_TOKEN_EVENTS],

  prepare({ txs }: BlockFacts, workspace: Workspace) {
    const facts = tokenFacts(txs);
    if (facts.length === 0) return undefined;
    workspace.load(
      TOKEN_CONTRACTS,
      facts.map(({ contractId }) => ({ contract_id: contractId })),
    );
    workspace.load(TOKENS, facts.flatMap(tokenKeys));
    workspace.loadLists(TOKEN_CONTRACTS_BY_STANDARD, STANDARDS);
    workspace.loadLists(ALL_TOKEN_EVENTS, ['']);
    return (unit: Unit) => {
      const writer = new TokenWriter(workspace, unit);
      for (const fact of ofTokenContracts(facts, workspace)) writer.write(fact);
    };
  },
};

/** Facts about contracts that are token contracts, or become some in this unit. */
function ofTokenContracts(facts: readonly TokenFact[], workspace: Workspace): TokenFact[] {
  const deployed = new Set(facts.filter(({ kind }) => kind === 'deploy').map(({ contractId }) => contractId));
  return facts.filter(
    ({ contractId }) =>
      deployed.has(contractId) || workspace.get(TOKEN_CONTRACTS, { contract_id: contractId }) !== null,
  );
}

/** The tokens that a fact is about, as keys of TOKENS. */
function tokenKeys(fact: TokenFact): KeyOf<typeof TOKENS>[] {
  const { contractId: contract_id } = fact;
  switch (fact.kind) {
    case 'deploy':
      return fact.found.standard === 'sip-010' ? [{ contract_id, token: ONLY_TOKEN }] : [];
    case 'mint':
      return [{ contract_id, token: fact.token }];
    case 'update':
      return (fact.notification.tokens ?? []).map(token => ({ contract_id, token }));
    default:
      return fact satisfies never;
  }
}

/** The number of the only token of a SIP-010 contract. */
const ONLY_TOKEN = '1';

type UpdateColumns = RowOf<typeof TOKENS, 'mode' | 'ttl'>;
const NO_UPDATE: UpdateColumns = { mode: null, ttl: null };

class TokenWriter {
  readonly #workspace: Workspace;
  /** Index block hash; no bytes for a microblock. */
  readonly #block: Uint8Array;
  /** Tokens minted in this unit: a second mint of a token adds no event. */
  readonly #minted = new Set<string>();

  constructor(workspace: Workspace, { kind, block }: Unit) {
    this.#workspace = workspace;
    this.#block = kind === 'block' ? hexBytes(block.indexBlockHash) : new Uint8Array();
  }

  write(fact: TokenFact): void {
    if (fact.kind === 'deploy') this.#deploy(fact);
    else if (fact.kind === 'mint') this.#mint(fact);
    else this.#update(fact);
  }

  /** Adds a contract, which is deployed only once. */
  #deploy(fact: Extract<TokenFact, { kind: 'deploy' }>): void {
    const { contractId, txId, sender, found } = fact;
    if (this.#standardOf(contractId) !== undefined) return;
    const { standard, ftAsset, nftAsset } = found;
    this.#workspace.put(TOKEN_CONTRACTS, {
      contract_id: contractId,
      standard,
      ft_asset: ftAsset,
      nft_asset: nftAsset,
      tx_id: hexBytes(txId),
      sender,
      ...NO_UPDATE,
      notified: null,
    });
    this.#workspace.append(TOKEN_CONTRACTS_BY_STANDARD, standard, { contract_id: contractId });
    const token = standard === 'sip-010' ? ONLY_TOKEN : null;
    const event = this.#event(fact, token, NO_UPDATE);
    if (token !== null)
      this.#workspace.put(TOKENS, { contract_id: contractId, token, ...NO_UPDATE, notified: null, event });
  }

  #mint(fact: Extract<TokenFact, { kind: 'mint' }>): void {
    const { contractId, token } = fact;
    const id = `${contractId} ${token}`;
    if (this.#standardOf(contractId) !== fact.standard || this.#minted.has(id)) return;
    this.#minted.add(id);
    const event = this.#event(fact, token, NO_UPDATE);
    const before = this.#token(contractId, token) ?? { ...NO_UPDATE, notified: null };
    this.#workspace.put(TOKENS, { ...before, contract_id: contractId, token, event });
  }

  #update(fact: Extract<TokenFact, { kind: 'update' }>): void {
    const { contractId, notification } = fact;
    const contract = this.#contract(contractId);
    if (!contract || contract.standard !== standardOfClass(notification.tokenClass) || contract.mode === FROZEN) return;
    const update = updateOf(notification);
    if (notification.tokens === undefined) {
      const event = this.#event(fact, null, update);
      this.#workspace.put(TOKEN_CONTRACTS, { ...contract, ...update, notified: event });
      return;
    }
    for (const token of notification.tokens) {
      const row = this.#token(contractId, token);
      if (!row || row.mode === FROZEN) continue;
      const event = this.#event(fact, token, update);
      this.#workspace.put(TOKENS, { ...row, ...update, notified: event, event });
    }
  }

  /** Appends an event for the metadata worker. @returns its position */
  #event({ contractId, txId, kind }: TokenFact, token: string | null, update: UpdateColumns): number {
    return this.#workspace.append(ALL_TOKEN_EVENTS, '', {
      contract_id: contractId,
      token,
      kind,
      ...update,
      tx_id: hexBytes(txId),
      block: this.#block,
    });
  }

  #contract(contractId: string): RowOf<typeof TOKEN_CONTRACTS> | null {
    return this.#workspace.get(TOKEN_CONTRACTS, { contract_id: contractId });
  }

  #standardOf(contractId: string): TokenStandard | undefined {
    const standard = this.#contract(contractId)?.standard;
    return STANDARDS.find(known => known === standard);
  }

  #token(contractId: string, token: string): RowOf<typeof TOKENS> | null {
    return this.#workspace.get(TOKENS, { contract_id: contractId, token });
  }
}

const FROZEN = 'frozen';

const updateOf = ({ mode, ttl }: UpdateNotification): UpdateColumns => ({ mode, ttl });
