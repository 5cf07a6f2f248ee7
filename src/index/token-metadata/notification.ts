import { type ClarityTuple, type ClarityValue, tupleMember } from '../../base/codec/index.ts';
import { type TokenStandard, UPDATE_MODES, type UpdateMode } from './standard.ts';

/** A print that announces a change of token metadata (SIP-019). The reader checks whether its contract may announce it. */
export interface UpdateNotification {
  readonly contractId: string;
  readonly tokenClass: TokenClass;
  /** Decimal numbers, each once; undefined for all tokens of the contract. */
  readonly tokens: readonly string[] | undefined;
  readonly mode: UpdateMode;
  /** Seconds between refreshes, only with `dynamic`; null without a time. */
  readonly ttl: number | null;
}

/** The standard of each token class of SIP-019. */
const CLASSES = { nft: 'sip-009', ft: 'sip-010', sft: 'sip-013' } as const satisfies Record<string, TokenStandard>;
type TokenClass = keyof typeof CLASSES;

export const standardOfClass = (tokenClass: TokenClass): TokenStandard => CLASSES[tokenClass];

/** Text in every such print; searching for it is cheaper than decoding all prints. */
export const NOTIFICATION = 'token-metadata-update';

const MIN_TTL = 60n;
const MAX_TTL = 30n * 24n * 3600n;

/**
 * The notification in a printed tuple; undefined for any other tuple, and for a malformed notification: an
 * unknown update mode or token class, ids that are no list of uint. An empty list means no token.
 */
export function readNotification(print: ClarityTuple): UpdateNotification | undefined {
  if (clarityText(tupleMember(print, 'notification')) !== NOTIFICATION) return undefined;
  const payload = tupleMember(print, 'payload');
  if (payload?.type !== 'tuple') return undefined;
  const contractId = clarityText(tupleMember(payload, 'contract-id'));
  const tokenClass = clarityText(tupleMember(payload, 'token-class'));
  const mode = modeOf(tupleMember(payload, 'update-mode'));
  if (contractId === undefined || !isTokenClass(tokenClass) || mode === undefined) return undefined;
  const given = tupleMember(payload, 'token-ids');
  const listed = given && tokenNumbers(given);
  if ((given && !listed) || (tokenClass === 'sft' && !listed)) return undefined;
  // A fungible token is number 1 of its contract.
  const tokens = tokenClass === 'ft' ? ['1'] : listed;
  return { contractId, tokenClass, tokens, mode, ttl: mode === 'dynamic' ? ttlOf(tupleMember(payload, 'ttl')) : null };
}

/** Texts come as strings of either kind, as buffers, or as principals. */
export function clarityText(value: ClarityValue | undefined): string | undefined {
  switch (value?.type) {
    case 'string-ascii':
    case 'string-utf8':
    case 'principal':
      return value.value;
    case 'buffer':
      return Buffer.from(value.value).toString('utf8');
    default:
      return undefined;
  }
}

const isTokenClass = (text: string | undefined): text is TokenClass =>
  text !== undefined && Object.hasOwn(CLASSES, text);

function modeOf(value: ClarityValue | undefined): UpdateMode | undefined {
  if (value === undefined) return 'standard';
  const text = clarityText(value);
  return UPDATE_MODES.find(mode => mode === text);
}

function tokenNumbers(value: ClarityValue): string[] | undefined {
  if (value.type !== 'list') return undefined;
  const numbers = value.items.flatMap(item => (item.type === 'uint' ? [String(item.value)] : []));
  return numbers.length === value.items.length ? [...new Set(numbers)] : undefined;
}

function ttlOf(value: ClarityValue | undefined): number | null {
  if (value?.type !== 'uint') return null;
  const ttl = value.value;
  return Number(ttl < MIN_TTL ? MIN_TTL : ttl > MAX_TTL ? MAX_TTL : ttl);
}
