import type { UpdateMode } from '../../index/token-metadata/standard.ts';

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
 * The rule that counts for a token: frozen once a notification for the token or the contract freezes it, else the later
 * notification, else standard.
 * A token that is frozen stays frozen.
 * @param contract notifications about all tokens of the contract
 */
export function updateRule(token: Notified, contract: Notified): UpdateRule {
  if (token.mode === 'frozen' || contract.mode === 'frozen') return { mode: 'frozen', ttl: null };
  const last = (token.notified ?? -1) > (contract.notified ?? -1) ? token : contract;
  return last.mode === 'dynamic' ? { mode: 'dynamic', ttl: last.ttl } : { mode: 'standard', ttl: null };
}
