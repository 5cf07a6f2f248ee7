import type { Database, Queries, Row } from '../../base/store/database.ts';
import type { TokenStandard, UpdateMode } from '../../index/token-metadata/standard.ts';
import { readState } from '../../ingest/indexer/index-state.ts';

/** The current facts in the index about a token, or about a contract alone. */
export interface TokenChain {
  /** The tip of the index; contracts are called in their state after it. Undefined while the chain is empty. */
  readonly tip: string | undefined;
  /** Undefined when the contract is not on the canonical chain. */
  readonly standard: TokenStandard | undefined;
  /** Whether an event has shown the token. */
  readonly shown: boolean;
  /** Seconds between refreshes of a dynamic token; undefined for other tokens. */
  readonly ttl: number | undefined;
}

interface NotifiedRow extends Row, Notified {}

const NOT_NOTIFIED: Notified = { mode: null, ttl: null, notified: null };
const DEFAULT_TTL = 24 * 3600;

/** The contract and the token (empty: the contract alone) in one snapshot. */
export function readTokenChain(index: Database, contractId: string, token: string): Promise<TokenChain> {
  return index.read(async queries => {
    const { tip } = await readState(queries);
    const contract = await queries.get<NotifiedRow & { standard: TokenStandard }>(
      'SELECT standard, mode, ttl, notified FROM token_contracts WHERE contract_id = ?',
      [contractId],
    );
    const row = await queries.get<NotifiedRow>(
      'SELECT mode, ttl, notified FROM tokens WHERE contract_id = ? AND token = ?',
      [contractId, token],
    );
    const rule = updateRule(row ?? NOT_NOTIFIED, contract ?? NOT_NOTIFIED);
    return {
      tip: tip?.indexBlockHash,
      standard: contract?.standard,
      shown: row !== undefined,
      ttl: rule.mode === 'dynamic' ? (rule.ttl ?? DEFAULT_TTL) : undefined,
    };
  });
}

/** An entry of TOKEN_EVENTS, with the standard of its contract. */
export interface TokenEvent extends Row {
  readonly seq: number;
  readonly contract_id: string;
  readonly token: string | null;
  readonly kind: 'deploy' | 'mint' | 'update';
  readonly tx_id: Uint8Array;
  readonly block: Uint8Array;
  readonly standard: TokenStandard | null;
}

const EVENTS = `SELECT e.seq, e.contract_id, e.token, e.kind, e.tx_id, e.block, c.standard
  FROM token_events e LEFT JOIN token_contracts c ON c.contract_id = e.contract_id`;

/** Entries from a position on, in chain order. */
export function readEvents(queries: Queries, from: number, limit: number): Promise<TokenEvent[]> {
  return queries.all<TokenEvent>(`${EVENTS} WHERE e.seq >= ? ORDER BY e.seq LIMIT ?`, [from, limit]);
}

export function readTokenEvent(queries: Queries, seq: number): Promise<TokenEvent | undefined> {
  return queries.get<TokenEvent>(`${EVENTS} WHERE e.seq = ?`, [seq]);
}

/** The update mode that a notification has set: a row of TOKENS or TOKEN_CONTRACTS. */
export interface Notified {
  readonly mode: string | null;
  /** Seconds. */
  readonly ttl: number | null;
  /** Position in TOKEN_EVENTS; null without a notification. */
  readonly notified: number | null;
}

/** The rule by which a token is updated, from its own notifications and those of its contract. */
interface UpdateRule {
  readonly mode: UpdateMode;
  readonly ttl: number | null;
}

/**
 * The rule for a token: frozen once a notification for the token or the contract freezes it, and for ever; else the mode of
 * the later notification; else standard.
 * @param contract notifications about all tokens of the contract
 */
export function updateRule(token: Notified, contract: Notified): UpdateRule {
  if (token.mode === 'frozen' || contract.mode === 'frozen') return { mode: 'frozen', ttl: null };
  const last = (token.notified ?? -1) > (contract.notified ?? -1) ? token : contract;
  return last.mode === 'dynamic' ? { mode: 'dynamic', ttl: last.ttl } : { mode: 'standard', ttl: null };
}
