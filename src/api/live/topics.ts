/** The topics that a client can subscribe to (docs/spec/live.md#topics). */
import { fromHex, toHex } from '../../base/lib/hex.ts';
import { isTopic } from '../../index/transactions/log-fields.ts';
import { FORMATS, spellPrincipal } from '../http/principals.ts';

type TopicKind =
  | 'block'
  | 'burn-block'
  | 'mempool'
  | 'reorg'
  | 'tx'
  | 'principal'
  | 'balance'
  | 'contract-log'
  | 'contract-log-topic'
  | 'contract-log-principal'
  | 'ft'
  | 'nft';

export interface Topic {
  readonly kind: TopicKind;
  /** The topic in the spelling of the index: entries of the log name the keys that they belong to. */
  readonly key: string;
  /** The part after the kind. */
  readonly subject: string;
}

/** The forms of topics, for the error of an invalid one. */
export const TOPIC_FORMS =
  'block, burn-block, mempool, tx:<id>, principal:<principal>, balance:<principal>, contract-log:<contract>[:<topic>], contract-log-topic:<contract>:<topic>, contract-log-principal:<contract>:<principal>, ft:<asset>, nft:<asset>[+<value>]';

/** Parses a topic; undefined for an invalid text. */
export function parseTopic(text: string): Topic | undefined {
  const colon = text.indexOf(':');
  const kind = colon < 0 ? text : text.slice(0, colon);
  if (!isKind(kind)) return undefined;
  if (colon < 0) return WITHOUT_SUBJECT.has(kind) ? { kind, key: kind, subject: '' } : undefined;
  const subject = SUBJECTS[kind]?.(text.slice(colon + 1));
  return subject === undefined ? undefined : { kind, key: `${kind}:${subject}`, subject };
}

const WITHOUT_SUBJECT: ReadonlySet<TopicKind> = new Set(['block', 'burn-block', 'mempool', 'reorg']);

/** The subject in the spelling of the index; undefined for a text that is not a valid subject. */
const SUBJECTS: Readonly<Partial<Record<TopicKind, (text: string) => string | undefined>>> = {
  tx: parseTransactionId,
  principal: spellPrincipal,
  balance: spellPrincipal,
  'contract-log': contractAndTopic,
  'contract-log-topic': text => contractAnd(text, spellLogTopic),
  'contract-log-principal': text => contractAnd(text, spellPrincipal),
  ft: parseAssetIdentifier,
  nft: assetAndValue,
};

const isKind = (kind: string): kind is TopicKind =>
  WITHOUT_SUBJECT.has(kind as TopicKind) || Object.hasOwn(SUBJECTS, kind);

/** 32 bytes of hex, with or without `0x`, as 0x and lower-case hex; undefined for anything else. */
export function parseTransactionId(text: string): string | undefined {
  const bytes = fromHex(text);
  return bytes?.length === 32 ? toHex(bytes) : undefined;
}

function contractAndTopic(text: string): string | undefined {
  const colon = text.indexOf(':');
  const contract = FORMATS['stacks-contract'].spell(colon < 0 ? text : text.slice(0, colon));
  if (contract === undefined || colon === text.length - 1) return undefined;
  return colon < 0 ? contract : contract + text.slice(colon);
}

function contractAnd(text: string, spell: (rest: string) => string | undefined): string | undefined {
  const colon = text.indexOf(':');
  const contract = colon < 0 ? undefined : FORMATS['stacks-contract'].spell(text.slice(0, colon));
  const rest = contract === undefined ? undefined : spell(text.slice(colon + 1));
  return rest === undefined ? undefined : `${contract}:${rest}`;
}

/** The topic of a print: a comma, which ends a topic of a stream, is `%2C` in it, and a percent sign `%25`. */
export const writeLogTopic = (topic: string): string => topic.replace(/[%,]/g, encodeURIComponent);

/** Inverse of writeLogTopic; undefined for a text that it never writes. */
export function readLogTopic(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function spellLogTopic(text: string): string | undefined {
  const topic = readLogTopic(text);
  return topic !== undefined && isTopic(topic) ? writeLogTopic(topic) : undefined;
}

/** A class of assets of a contract; undefined for anything else. */
export function parseAssetIdentifier(text: string): string | undefined {
  const asset = FORMATS['stacks-asset'].spell(text);
  return asset?.slice(0, asset.indexOf('::')).includes('.') ? asset : undefined;
}

function assetAndValue(text: string): string | undefined {
  const plus = text.indexOf('+');
  const asset = parseAssetIdentifier(plus < 0 ? text : text.slice(0, plus));
  if (asset === undefined || plus < 0) return asset;
  const value = fromHex(text.slice(plus + 1));
  return value === undefined || value.length === 0 ? undefined : `${asset}+${toHex(value)}`;
}

/** The topics for which a listener, or the feed for all its listeners, reads the log. */
export interface Interest {
  wants(key: string): boolean;
  /** Principals whose balance changes are sent. */
  readonly balances: readonly string[];
  /** All its topics, if they are few; undefined if there are too many to look for each. */
  readonly topics?: readonly Topic[];
}

const BY_FIELD: ReadonlySet<TopicKind> = new Set(['contract-log-topic', 'contract-log-principal']);
const CONTENT: ReadonlySet<TopicKind> = new Set([
  ...(['tx', 'principal', 'balance', 'contract-log', 'ft', 'nft'] as const),
  ...BY_FIELD,
]);

/** Key of the event that ends a block, for clients that get events of its content: only for them the feed reads transactions. */
export const BLOCK_END = 'block-end';
/** Key of the events that every client gets. */
export const REORG = 'reorg';

/** A key that no event has. If a listener has it, the feed reads the topics and principals of the prints of a contract. */
export const logFieldsKey = (contractId: string): string => `log-fields:${contractId}`;

/** Keys of events that only the older channels send. */
export const V1 = {
  block: 'v1:block',
  microblock: 'v1:microblock',
  nft: 'v1:nft',
  /** No event has this key: its listeners get rolled-back blocks one by one, by the other keys. */
  undone: 'v1:undone',
  undoneTransaction: (txId: string) => `v1:tx:${txId}`,
  undoneOf: (principal: string) => `v1:principal:${principal}`,
} as const;

/** The topics of one client. */
export class TopicSet implements Interest {
  readonly keys: ReadonlySet<string>;
  readonly balances: readonly string[];
  readonly topics: readonly Topic[];

  constructor(topics: readonly Topic[]) {
    this.topics = topics;
    const content = topics.some(({ kind }) => CONTENT.has(kind)) ? [BLOCK_END] : [];
    const byField = topics.filter(({ kind }) => BY_FIELD.has(kind));
    const read = byField.map(({ subject }) => logFieldsKey(subject.slice(0, subject.indexOf(':'))));
    this.keys = new Set([REORG, ...topics.map(({ key }) => key), ...content, ...read]);
    this.balances = topics.flatMap(({ kind, subject }) => (kind === 'balance' ? [subject] : [])).sort();
  }

  wants(key: string): boolean {
    return this.keys.has(key);
  }
}
