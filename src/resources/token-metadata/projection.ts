import type { BlockFacts } from '../../chain/block-facts.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { StateRow } from '../../indexer/table-cache.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { fromHex } from '../../lib/hex.ts';
import { STANDARDS, type TokenStandard } from '../../metadata/token-standards.ts';
import type { Value } from '../../store/database.ts';
import { type TokenFact, tokenFacts } from './facts.ts';
import { standardOfClass, type UpdateNotification } from './notification.ts';
import { ALL_TOKEN_EVENTS, TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD, TOKENS } from './tables.ts';

/**
 * Token contracts, their tokens, and everything that makes a token worth fetching. What was
 * fetched is none of its business: it writes what the chain says, and forks are followed like everywhere in the index.
 */
export const tokenMetadataProjection: Projection = {
  name: 'token_metadata',
  stateTables: [TOKEN_CONTRACTS, TOKENS],
  keptTables: [],
  lists: [TOKEN_CONTRACTS_BY_STANDARD, ALL_TOKEN_EVENTS],

  async prepare({ txs }: BlockFacts, workspace: Workspace) {
    const facts = tokenFacts(txs);
    if (facts.length === 0) return () => {};
    await Promise.all([
      workspace.load(
        TOKEN_CONTRACTS,
        facts.map(({ contractId }) => [contractId]),
      ),
      workspace.load(TOKENS, facts.flatMap(tokenKeys)),
      workspace.loadLists(TOKEN_CONTRACTS_BY_STANDARD, STANDARDS),
      workspace.loadLists(ALL_TOKEN_EVENTS, ['']),
    ]);
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
    ({ contractId }) => deployed.has(contractId) || workspace.get(TOKEN_CONTRACTS, [contractId]) !== null,
  );
}

/** The tokens that a fact is about, as keys of TOKENS. */
function tokenKeys(fact: TokenFact): [contractId: string, token: string][] {
  const { contractId } = fact;
  switch (fact.kind) {
    case 'deploy':
      return fact.found.standard === 'sip-010' ? [[contractId, ONLY_TOKEN]] : [];
    case 'mint':
      return [[contractId, fact.token]];
    case 'update':
      return (fact.notification.tokens ?? []).map(token => [contractId, token]);
  }
}

/** The number of the one token that a SIP-010 contract has. */
const ONLY_TOKEN = '1';

type UpdateColumns = readonly [mode: string | null, ttl: number | null];
const NO_UPDATE: UpdateColumns = [null, null];

class TokenWriter {
  readonly #workspace: Workspace;
  /** Index block hash; no bytes for a microblock. */
  readonly #block: Uint8Array;
  /** Tokens minted in this unit: a second mint of one is no news. */
  readonly #minted = new Set<string>();

  constructor(workspace: Workspace, { kind, block }: Unit) {
    this.#workspace = workspace;
    this.#block = kind === 'block' ? bytes(block.indexBlockHash) : new Uint8Array();
  }

  write(fact: TokenFact): void {
    if (fact.kind === 'deploy') this.#deploy(fact);
    else if (fact.kind === 'mint') this.#mint(fact);
    else this.#update(fact);
  }

  /** A contract is deployed once. */
  #deploy(fact: Extract<TokenFact, { kind: 'deploy' }>): void {
    const { contractId, txId, sender, found } = fact;
    if (this.#standardOf(contractId) !== undefined) return;
    const { standard, ftAsset, nftAsset } = found;
    const update = [null, null, null];
    this.#workspace.put(TOKEN_CONTRACTS, [contractId, standard, ftAsset, nftAsset, bytes(txId), sender, ...update]);
    this.#workspace.append(TOKEN_CONTRACTS_BY_STANDARD, standard, [contractId]);
    const token = standard === 'sip-010' ? ONLY_TOKEN : null;
    const event = this.#event(fact, token, NO_UPDATE);
    if (token !== null) this.#workspace.put(TOKENS, [contractId, token, ...update, event]);
  }

  #mint(fact: Extract<TokenFact, { kind: 'mint' }>): void {
    const { contractId, token } = fact;
    const id = `${contractId} ${token}`;
    if (this.#standardOf(contractId) !== fact.standard || this.#minted.has(id)) return;
    this.#minted.add(id);
    const [, , mode = null, ttl = null, notified = null] = this.#token(contractId, token) ?? [];
    const event = this.#event(fact, token, NO_UPDATE);
    this.#workspace.put(TOKENS, [contractId, token, mode, ttl, notified, event]);
  }

  #update(fact: Extract<TokenFact, { kind: 'update' }>): void {
    const { contractId, notification } = fact;
    const contract = this.#contract(contractId);
    if (!contract || contract[1] !== standardOfClass(notification.tokenClass) || contract[6] === FROZEN) return;
    const update = updateOf(notification);
    if (notification.tokens === undefined) {
      const event = this.#event(fact, null, update);
      this.#workspace.put(TOKEN_CONTRACTS, [...contract.slice(0, 6), ...update, event]);
      return;
    }
    for (const token of notification.tokens) {
      const row = this.#token(contractId, token);
      if (!row || row[2] === FROZEN) continue;
      const event = this.#event(fact, token, update);
      this.#workspace.put(TOKENS, [contractId, token, ...update, event, event]);
    }
  }

  /** Appends to what the metadata worker follows. @returns its position */
  #event({ contractId, txId, kind }: TokenFact, token: string | null, update: UpdateColumns): number {
    const columns: Value[] = [contractId, token, kind, ...update, bytes(txId), this.#block];
    return this.#workspace.append(ALL_TOKEN_EVENTS, '', columns);
  }

  #contract(contractId: string): StateRow | null {
    return this.#workspace.get(TOKEN_CONTRACTS, [contractId]);
  }

  #standardOf(contractId: string): TokenStandard | undefined {
    const standard = this.#contract(contractId)?.[1];
    return STANDARDS.find(known => known === standard);
  }

  #token(contractId: string, token: string): StateRow | null {
    return this.#workspace.get(TOKENS, [contractId, token]);
  }
}

const FROZEN = 'frozen';

const updateOf = ({ mode, ttl }: UpdateNotification): UpdateColumns => [mode, ttl];

const bytes = (hex: string): Uint8Array => fromHex(hex) ?? new Uint8Array();
