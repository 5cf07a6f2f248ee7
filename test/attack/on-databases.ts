import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { frames, message, opening } from '../support/postgres-messages.ts';
import type { Finding, Size } from './finding.ts';
import { hasStack, type Measured, measured } from './measured.ts';

const AUTHENTICATED = message('R', Buffer.alloc(4));
const ready = (state: 'I' | 'T') => message('Z', Buffer.from(state));
const complete = (tag: string) => message('C', Buffer.from(`${tag}\0`));
const BOUND = Buffer.concat([message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0))]);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const int8 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};

function described(columns: readonly (readonly [name: string, type: number])[]): Buffer {
  const fields = columns.map(([name, type]) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  return message('T', Buffer.concat([int16(columns.length), ...fields]));
}

const row = (...values: readonly (string | Buffer | null)[]): Buffer =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.map(value => {
        const bytes = value === null ? undefined : Buffer.from(value);
        return bytes ? Buffer.concat([int32(bytes.length), bytes]) : int32(-1);
      }),
    ]),
  );

const LAST_ID = described([['id', 20]]);
const PAGE = described([
  ['id', 20],
  ['received_at', 20],
  ['path', 25],
  ['body', 17],
]);
const SIZED = described([
  ['id', 20],
  ['received_at', 20],
  ['path', 25],
  ['size', 20],
]);
const PART = described([['part', 17]]);
const event = (id: number, bytes = 100): Buffer => row(String(id), '1', '/new_block', `\\x${'7b'.repeat(bytes)}`);

/** The same row in the form in which the program has bound its result. */
const eventIn = (isBinary: boolean): Buffer =>
  isBinary ? row(int8(1), int8(1), '/new_block', Buffer.from('{')) : event(1);

/** The chunks that a server sends for a page of rows; `undefined` at the end. */
type Chunks = () => Buffer | undefined;

const once =
  (...buffers: Buffer[]): Chunks =>
  () =>
    buffers.shift();

/** The behaviour of a hostile server: at the start, in place of a page, and in place of a part of a large row. */
interface Hostility {
  readonly onStart?: () => Chunks;
  readonly onPage?: (isBinary: boolean) => Chunks;
  /** Bytes of a row that is too large for a page. */
  readonly size?: number;
  readonly onPart?: (bytes: number, isBinary: boolean) => Chunks;
}

/** `--max-event-bytes`, which the largest row has. */
const LARGEST = 100_000_000;

const repeated = (chunk: Buffer, first: Buffer = chunk): Chunks => {
  let isFirst = true;
  return () => {
    const next = isFirst ? first : chunk;
    isFirst = false;
    return next;
  };
};

const MANY = Buffer.concat(Array.from({ length: 500 }, (_, i) => event(i + 1)));
const EMPTY = Buffer.concat(Array.from({ length: 10_000 }, () => row()));
const NOISE = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 251));
const endless = (head: Buffer) => repeated(Buffer.alloc(1_000_000, 0x20), head);

/** A message whose length field announces more bytes than any message has. */
const announcing = (type: string, bytes: number) => Buffer.concat([Buffer.from(type), int32(bytes)]);

const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'never answers': { onStart: () => () => undefined },
  'noise at the start': { onStart: () => repeated(NOISE) },
  'endless parameters': {
    onStart: () => repeated(message('S', Buffer.from(`a\0${'b'.repeat(10_000)}\0`)), AUTHENTICATED),
  },
  'an endless error': { onStart: () => endless(announcing('E', 0x7fffffff)) },
  'an endless message': { onStart: () => endless(Buffer.concat([AUTHENTICATED, announcing('S', 0x7fffffff)])) },
  'a message of negative length': { onStart: () => once(announcing('R', -5)) },
  'endless rows': { onPage: () => repeated(MANY, Buffer.concat([BOUND, PAGE, MANY])) },
  'one endless row': { onPage: () => endless(Buffer.concat([BOUND, PAGE, announcing('D', 0x7fffffff)])) },
  'empty rows for ever': { onPage: () => repeated(EMPTY, Buffer.concat([BOUND, described([]), EMPTY])) },
  'the largest row': {
    onPage: () => endless(Buffer.concat([BOUND, PAGE, announcing('D', 0x7fffffff)])),
    size: LARGEST,
    onPart: (bytes, isBinary) =>
      once(
        Buffer.concat([
          BOUND,
          PART,
          row(isBinary ? Buffer.alloc(bytes, 0x20) : `\\x${'20'.repeat(bytes)}`),
          complete('SELECT 1'),
        ]),
      ),
  },
  'a row of 2 GB': { onPage: () => endless(Buffer.concat([BOUND, PAGE, announcing('D', 0x7fffffff)])), size: 2e9 },
  'parts of a row for ever': {
    onPage: () => endless(Buffer.concat([BOUND, PAGE, announcing('D', 0x7fffffff)])),
    size: LARGEST,
    onPart: () => endless(Buffer.concat([BOUND, PART, announcing('D', 0x7fffffff)])),
  },
  'the same row for ever': {
    onPage: isBinary => once(Buffer.concat([BOUND, PAGE, eventIn(isBinary), complete('SELECT 1')])),
  },
  'rows of other columns': {
    onPage: () => once(Buffer.concat([BOUND, PAGE, row('x'), row('1', '2', '3'), complete('SELECT 2')])),
  },
  'texts in place of numbers': {
    onPage: () => once(Buffer.concat([BOUND, PAGE, row('x', 'y', '/new_block', 'z'), complete('SELECT 1')])),
  },
  'noise in place of rows': { onPage: () => repeated(NOISE) },
  'never answers a page': { onPage: () => () => undefined },
  'hangs up in a row': { onPage: () => once(Buffer.concat([BOUND, PAGE, event(1).subarray(0, 20)]), Buffer.alloc(0)) },
};

/** Sends chunks as fast as they are read. A chunk without bytes closes the connection. */
function sendAll(socket: Socket, chunks: Chunks, sent: (bytes: number) => void): void {
  for (let chunk = chunks(); chunk !== undefined && !socket.destroyed; chunk = chunks()) {
    if (chunk.length === 0) return void socket.destroy();
    const { length } = chunk;
    const isRoom = socket.write(chunk, error => !error && sent(length));
    if (!isRoom) return void socket.once('drain', () => sendAll(socket, chunks, sent));
  }
}

interface Bound {
  readonly statement: string;
  readonly parameters: readonly string[];
  /** Whether a column of the result comes in binary. */
  readonly isBinary: boolean;
}

/** A Bind message: its portal, its statement, formats, then a length and the bytes of each parameter, and the formats of the result. */
function readBind(bind: Buffer): Bound {
  const begin = bind.indexOf(0, 5) + 1;
  const end = bind.indexOf(0, begin);
  const statement = bind.toString('latin1', begin, end);
  let at = end + 1;
  at += 2 + 2 * bind.readInt16BE(at);
  const parameters: string[] = [];
  const count = bind.readInt16BE(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    const length = bind.readInt32BE(at);
    parameters.push(bind.toString('latin1', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return { statement, parameters, isBinary: bind.subarray(at + 2).includes(1) };
}

async function startHostile({ onStart, onPage, size, onPart }: Hostility) {
  const sockets = new Set<Socket>();
  let bytesRead = 0;
  const sent = (bytes: number) => {
    bytesRead += bytes;
  };
  const { promise: connected, resolve: onConnection } = Promise.withResolvers<void>();
  const server = createServer(socket => {
    onConnection();
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    const statements = new Map<string, string>();
    let bound: Bound = { statement: '', parameters: [], isBinary: false };
    const answer = (text: string): void => {
      const { parameters, isBinary } = bound;
      if (/max\(id\)/.test(text))
        socket.write(Buffer.concat([BOUND, LAST_ID, row(isBinary ? int8(100) : '100'), complete('SELECT 1')]));
      else if (/AS size/.test(text) && size !== undefined) {
        const numbers = [1, 1, size].map(value => (isBinary ? int8(value) : String(value)));
        const [id = '', receivedAt = '', bytes = ''] = numbers;
        socket.write(Buffer.concat([BOUND, SIZED, row(id, receivedAt, '/new_block', bytes), complete('SELECT 1')]));
      } else if (/substring/.test(text) && onPart) sendAll(socket, onPart(Number(parameters[1] ?? 0), isBinary), sent);
      else if (/receive_timestamp/.test(text) && onPage) sendAll(socket, onPage(isBinary), sent);
      else socket.write(Buffer.concat([BOUND, complete('SET')]));
    };
    const onMessage = ({ type, bytes }: { readonly type: string; readonly bytes: Buffer }) => {
      if (type === 'P') {
        const [name = '', text = ''] = bytes.subarray(5).toString('latin1').split('\0');
        statements.set(name, text);
      }
      if (type === 'Q') {
        const isEnd = /COMMIT|ROLLBACK/.test(bytes.toString('latin1'));
        socket.write(Buffer.concat([complete('BEGIN'), ready(isEnd ? 'I' : 'T')]));
      }
      if (type === 'B') bound = readBind(bytes);
      if (type === 'E') answer(statements.get(bound.statement) ?? '');
      if (type === 'S') socket.write(ready('I'));
    };
    const readOpening = opening((_packet, kind, rest) => {
      if (kind === 'encryption') return void socket.write('N');
      socket.removeListener('data', readOpening);
      if (onStart) return sendAll(socket, onStart(), sent);
      socket.write(Buffer.concat([AUTHENTICATED, ready('I')]));
      const read = frames(onMessage);
      socket.on('data', read);
      if (rest.length > 0) read(rest);
    });
    socket.on('data', readOpening);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    /** Resolves at its first connection. */
    connected,
    /** Bytes that the program has taken. */
    bytesRead: () => bytesRead,
    url: `postgres://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** The most megabytes of a replay from such a server: those of the program, and a few times the largest row. */
const MEMORY = 500 + (3 * LARGEST) / 1e6;
const END_S = 10;
/** The most megabytes that the program reads before it stops: a few results of 32 MB while pages shrink. A large row is not included, as it must be read. */
const TAKEN = 250;

/** Runs `replay --from` with servers that only pretend to be PostgreSQL. */
export async function hostileDatabases({ name }: Size): Promise<Finding[]> {
  const withinMs = name === 'full' ? 30_000 : 15_000;
  const names =
    name === 'full' ? Object.keys(HOSTILITIES) : ['endless rows', 'the same row for ever', 'noise at the start'];
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-hostile-'));
  const seen: (Measured & { readonly name: string; readonly taken: number })[] = [];
  try {
    for (const [i, each] of names.entries()) {
      const server = await startHostile(HOSTILITIES[each] ?? {});
      const args = [
        'replay',
        '--from',
        server.url,
        '--data',
        join(home, String(i)),
        '--max-event-bytes',
        String(LARGEST),
      ];
      const result = await measured(args, withinMs, server.connected);
      const large = HOSTILITIES[each]?.onPart ? 6 * LARGEST : 0; // read twice, two characters a byte
      seen.push({ name: each, ...result, taken: server.bytesRead() - large });
      server.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  if (process.env.ATTACK_VERBOSE) for (const { output, ...figures } of seen) console.log(figures, output.slice(-500));
  const most = (figure: (each: (typeof seen)[number]) => number) => Math.max(...seen.map(figure));
  const namesOf = (bad: (each: Measured) => boolean) => seen.filter(bad).map(each => each.name);
  const crashed = namesOf(({ output }) => hasStack(output));
  const silent = namesOf(
    ({ output, code, endSeconds }) => endSeconds === 0 && (code === 0 || !output.includes('stacks-index: ')),
  );
  const isEndless = seen.some(each => each.name === 'the same row for ever' && each.endSeconds > 0);
  return [
    { what: 'memory of replay', worst: most(each => each.peakMegabytes), bound: MEMORY, unit: 'MB' },
    { what: 'megabytes that it takes', worst: most(({ taken }) => taken / 1e6), bound: TAKEN, unit: 'MB' },
    { what: 'time until it ends on a signal', worst: most(each => each.endSeconds), bound: END_S, unit: 's' },
    { what: `errors that no one foresaw (${crashed.join(', ')})`, worst: crashed.length, bound: 0, unit: '' },
    { what: 'pages that are read again for ever', worst: isEndless ? 1 : 0, bound: 0, unit: '' },
    { what: `ends without a reason (${silent.join(', ')})`, worst: silent.length, bound: 0, unit: '' },
  ];
}
