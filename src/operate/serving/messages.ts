/*
 * Messages between the processes of one index: over PostgreSQL (NOTIFY), or between a process and its API workers. A message may be
 * lost; a process that misses one polls every 500 ms.
 */
import { parseLocation } from '../../base/store/open.ts';
import { openSignals } from '../../base/store/postgres-signals.ts';

export type Message =
  /** The journal has grown. */
  | { readonly kind: 'journal' }
  /** The index is committed up to this journal position. */
  | { readonly kind: 'index'; readonly generation: number; readonly position: number }
  /** The node has taken a transaction into its mempool that a client broadcast here. Hex. */
  | { readonly kind: 'mempool-tx'; readonly rawTx: string }
  /** A client requested metadata of a token that were never fetched. */
  | { readonly kind: 'token'; readonly contractId: string; readonly token: string };

export interface Channel {
  /** Sends to all other processes. Does not send a message that is too long for NOTIFY (a transaction of more than 3,900 bytes). */
  send(message: Message): void;
  close(): Promise<void>;
}

/** Messages over PostgreSQL. @param database postgres:// URL, with ?schema=NAME unless it is the default schema */
export function openDatabaseChannel(database: string, onMessage: (message: Message) => void): Channel {
  const location = parseLocation({ database });
  if (location.kind !== 'postgres') throw new Error('messages need PostgreSQL');
  const signals = openSignals(location.url, `stacks_index ${location.schema ?? ''}`, text => {
    const message = readMessage(text);
    if (message) onMessage(message);
  });
  return { send: message => signals.send(JSON.stringify(message)), close: () => signals.close() };
}

/** Undefined for the message of another version or program. */
function readMessage(text: string): Message | undefined {
  try {
    const message = JSON.parse(text) as Message;
    return KINDS.has(message.kind) ? message : undefined;
  } catch {
    return undefined;
  }
}

const KINDS: ReadonlySet<unknown> = new Set<Message['kind']>(['journal', 'index', 'mempool-tx', 'token']);
