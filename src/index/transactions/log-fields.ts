import { hash } from 'node:crypto';
import { decodeShortTexts } from '../../base/codec/index.ts';
import { hexBytes } from '../../base/lib/hex.ts';

/** The search keys of a print (docs/spec/contracts.md#topics-of-logs). */
interface LogFields {
  /** Null for a print without one. */
  readonly topic: string | null;
  /** Each once. */
  readonly principals: readonly string[];
}

/** Members of a print that may have the topic, in order of precedence. */
const NAMING: readonly string[] = ['event', 'topic', 'action', 'notification'];

/** Most bytes of a topic in UTF-8. */
export const LONGEST_TOPIC = 64;

/** Most principals of a print that are indexed: the first ones in the order of the names of their members. */
const MOST_PRINCIPALS = 4;

/** Characters that no topic has: control characters, and the replacement character for malformed bytes. */
const UNPRINTABLE = /[\p{Cc}\ufffd]/u;

/** Whether a text can be a topic: one to 64 bytes in UTF-8, all printable. */
export const isTopic = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= LONGEST_TOPIC && !UNPRINTABLE.test(text);

/** The search keys of a print; none if it is not a tuple, or if its bytes are not a Clarity value. @param value 0x hex */
export function logFieldsOf(value: string): LogFields {
  const members = decodeShortTexts(hexBytes(value), LONGEST_TOPIC);
  if (!members.ok || members.value.length === 0) return NOTHING;
  let topic: string | null = null;
  let rank = NAMING.length;
  const principals: string[] = [];
  for (const { name, value } of members.value) {
    if (value.type !== 'principal') {
      const found = NAMING.indexOf(name);
      if (found < 0 || found > rank || !isTopic(value.value)) continue;
      topic = value.value;
      rank = found;
    } else if (principals.length < MOST_PRINCIPALS && !principals.includes(value.value)) principals.push(value.value);
  }
  return { topic, principals };
}

const NOTHING: LogFields = { topic: null, principals: [] };

/** The name of the list of the prints of a contract with a topic: contracts have few. */
export const topicListName = (contractId: string, topic: string): string => `${contractId} ${topic}`;

/**
 * The same with a principal: 12 bytes of a digest, as most of these lists are short, and their names are also in the undo log. It is infeasible to
 * make a principal with the digest of a given one.
 */
export const principalListName = (contractId: string, principal: string): string =>
  hash('sha256', `${contractId}\n${principal}`, 'base64url').slice(0, 16);
