/*
 * What the processes of one index tell each other: over PostgreSQL (NOTIFY), or between a process and its API workers. Any message
 * may be lost: whoever must know also looks for himself now and then.
 */
import { parseLocation } from '../store/open.ts';
import { openSignals } from '../store/postgres-signals.ts';

export type Message =
  /** The journal has grown. */
  | { readonly kind: 'journal' }
  /** The index has been committed up to this journal position. */
  | { readonly kind: 'index'; readonly generation: number; readonly position: number }
  /** A client asks for the metadata of a token that was never fetched. */
  | { readonly kind: 'token'; readonly contractId: string; readonly token: string };

export interface Channel {
  /** Tells all other processes. */
  send(message: Message): void;
  close(): Promise<void>;
}

/** Messages over PostgreSQL. @param database postgres:// URL, with the schema where it is not the usual one */
export function openDatabaseChannel(database: string, onMessage: (message: Message) => void): Channel {
  const location = parseLocation({ database });
  if (location.kind !== 'postgres') throw new Error('messages go over PostgreSQL only');
  const signals = openSignals(location.url, `stacks_index ${location.schema ?? ''}`, text => {
    const message = readMessage(text);
    if (message) onMessage(message);
  });
  return { send: message => signals.send(JSON.stringify(message)), close: () => signals.close() };
}

/** Undefined for what another version, or somebody else, may have sent. */
function readMessage(text: string): Message | undefined {
  try {
    const message = JSON.parse(text) as Message;
    return KINDS.has(message.kind) ? message : undefined;
  } catch {
    return undefined;
  }
}

const KINDS: ReadonlySet<unknown> = new Set<Message['kind']>(['journal', 'index', 'token']);
