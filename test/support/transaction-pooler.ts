import { connect, createServer, type Server, type Socket } from 'node:net';
import { frames, type Message, message, opening } from './postgres-messages.ts';

/** A server of which clients may rely on nothing beyond a transaction. */
export interface Pooler {
  readonly url: string;
  /** How often a session was reset. */
  resets(): number;
  stop(): Promise<void>;
}

/** As pgbouncer knows them; it refuses others, such as `options` or `statement_timeout`. */
const STARTUP_PARAMETERS = new Set([
  ...['user', 'database', 'client_encoding', 'application_name'],
  ...['DateStyle', 'TimeZone', 'IntervalStyle', 'standard_conforming_strings'],
]);

/** DISCARD ALL without DEALLOCATE ALL, as prepared statements work with pgbouncer from 1.21 on. */
const RESET = `CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
  DISCARD SEQUENCES`;

/**
 * Starts a proxy that treats sessions as a pooler of transactions (pgbouncer: pool_mode = transaction) does: when a transaction
 * has ended, what was SET, LISTENed to or locked for the session is gone before the next message of the client is passed on.
 * @param serverUrl the server behind it
 */
export async function startTransactionPooler(serverUrl: string): Promise<Pooler> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let resets = 0;
  const connectToServer = () => track(connect(Number(target.port), target.hostname));
  const server = createServer(socket => serveClient(track(socket), connectToServer, () => resets++));

  function track(socket: Socket): Socket {
    sockets.add(socket.setNoDelay());
    return socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  }

  const url = new URL(serverUrl);
  url.port = String(await listen(server));
  return {
    url: url.href,
    resets: () => resets,
    stop: async () => {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

/** What a client says before its session begins: perhaps that it wants encryption, then whom it wants to be, or to cancel. */
function serveClient(client: Socket, connectToServer: () => Socket, onReset: () => void): void {
  const receive = opening((packet, kind, rest) => {
    if (kind === 'encryption') {
      client.write('N');
      return;
    }
    client.off('data', receive);
    const unknown = kind === 'startup' ? packet.parameters.filter(name => !STARTUP_PARAMETERS.has(name)) : [];
    if (unknown.length > 0) {
      const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${unknown.join(', ')}\0\0`;
      client.end(message('E', Buffer.from(fields)));
      return;
    }
    const server = connectToServer();
    server.write(kind === 'cancel' ? withOtherNumber(packet.bytes, NUMBER_IN.cancel) : packet.bytes);
    tie(client, server);
    if (kind === 'cancel') client.pipe(server).pipe(client);
    else runSession(client, server, rest, onReset);
  });
  client.on('data', receive);
}

/** When one of them goes, so does the other. */
function tie(client: Socket, server: Socket): void {
  client.on('close', () => server.destroy());
  server.on('close', () => client.end());
}

/**
 * What the server is at:
 * - `answering`: it has got all up to the end of a unit (a Query, or messages up to a Sync) and has not told that it is ready;
 * - `resetting`: as that, for the unit of ours;
 * - `listening`: it takes messages.
 */
type State = 'answering' | 'resetting' | 'listening';

/** Ends of units: Query, Sync, FunctionCall. */
const UNIT_ENDS = new Set(['Q', 'S', 'F']);
/** CopyData, CopyDone, CopyFail, and answers to questions of authentication: they belong to a unit that is being answered. */
const WITHIN_UNIT = new Set(['d', 'c', 'f', 'p']);
/** What the server tells whenever it likes: errors, notices, changed settings. */
const TOLD_ANYWAY = new Set(['E', 'N', 'S']);

/** Where BackendKeyData and CancelRequest have the number of the process that serves a connection (PostgreSQL manual, "Message Formats"). */
const NUMBER_IN = { key: 5, cancel: 8 } as const;

/**
 * A pooler gives its clients numbers of its own, with which they cancel their queries: here that of the process with the other sign, so that no
 * number of a client is one of the server.
 */
function withOtherNumber(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other.writeInt32BE(-bytes.readInt32BE(at), at);
  return other;
}

/** Units go to the server one by one, however many a client sends at once: only between two of them a session can be reset. */
function runSession(client: Socket, server: Socket, first: Buffer, onReset: () => void): void {
  const waiting: Message[] = [];
  let state: State = 'answering'; // the startup message

  function passOn(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const mayPass = state === 'listening' || (state === 'answering' && WITHIN_UNIT.has(next.type));
      if (!mayPass) return;
      waiting.shift();
      server.write(next.bytes);
      if (UNIT_ENDS.has(next.type)) state = 'answering';
    }
  }

  function reset(): void {
    onReset();
    state = 'resetting';
    server.write(message('Q', Buffer.from(`${RESET}\0`)));
  }

  const fromServer = frames(answer => {
    const ready = answer.type === 'Z';
    const inTransaction = ready && answer.bytes.at(-1) !== 'I'.charCodeAt(0);
    if (ready && state === 'answering' && !inTransaction) {
      reset(); // the client is told that the server is ready when it is after that
      return;
    }
    if (ready || state !== 'resetting' || TOLD_ANYWAY.has(answer.type))
      client.write(answer.type === 'K' ? withOtherNumber(answer.bytes, NUMBER_IN.key) : answer.bytes);
    if (!ready) return;
    state = 'listening';
    passOn();
  });
  const fromClient = frames(next => {
    waiting.push(next);
    passOn();
  });
  server.on('data', fromServer);
  client.on('data', fromClient);
  fromClient(first);
}
