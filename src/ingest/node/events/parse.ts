import { fail, ok, type Result } from '../../../base/lib/result.ts';
import { type NewBlock, newBlock } from './block.ts';
import {
  type Attachment,
  type DropMempoolTx,
  dropMempoolTx,
  type NewBurnBlock,
  type NewMicroblocks,
  newAttachments,
  newBurnBlock,
  newMempoolTx,
  newMicroblocks,
} from './bodies.ts';
import { InvalidField, type Reader } from './fields.ts';
import {
  defaultEventLimits,
  type EventError,
  type EventLimits,
  eventError,
  isNestedDeeperThan,
  parseJson,
  parseJsonExactly,
} from './json.ts';
import { divideBody } from './pieces.ts';
import { originOf, REBUILT_PATH, type RebuiltOrigin } from './rebuilt.ts';

/** A checked message of a node. Bodies of paths that are only acknowledged, and of unknown ones, are not parsed. */
export type NodeEvent =
  /** With an origin: no node has sent it, it was rebuilt. */
  | { readonly path: '/new_block'; readonly block: NewBlock; readonly origin?: RebuiltOrigin }
  | { readonly path: '/new_burn_block'; readonly burnBlock: NewBurnBlock }
  | { readonly path: '/new_mempool_tx'; readonly rawTxs: readonly string[] }
  | { readonly path: '/drop_mempool_tx'; readonly drop: DropMempoolTx }
  | { readonly path: '/new_microblocks'; readonly microblocks: NewMicroblocks }
  | { readonly path: '/attachments/new'; readonly attachments: readonly Attachment[] }
  | { readonly path: 'acknowledged'; readonly original: string };

type ReadablePath = Exclude<NodeEvent['path'], 'acknowledged'>;

const readers: { readonly [P in ReadablePath]: Reader<Extract<NodeEvent, { path: P }>> } = {
  '/new_block': (value, owner) => ({ path: '/new_block', block: newBlock(value, owner) }),
  '/new_burn_block': (value, owner) => ({ path: '/new_burn_block', burnBlock: newBurnBlock(value, owner) }),
  '/new_mempool_tx': (value, owner) => ({ path: '/new_mempool_tx', rawTxs: newMempoolTx(value, owner) }),
  '/drop_mempool_tx': (value, owner) => ({ path: '/drop_mempool_tx', drop: dropMempoolTx(value, owner) }),
  '/new_microblocks': (value, owner) => ({ path: '/new_microblocks', microblocks: newMicroblocks(value, owner) }),
  '/attachments/new': (value, owner) => ({ path: '/attachments/new', attachments: newAttachments(value, owner) }),
};

const readRebuilt: Reader<NodeEvent> = (value, owner) => ({
  path: '/new_block',
  block: newBlock(value, owner),
  origin: originOf(value, owner),
});

/** Undefined for a path whose bodies are not parsed. */
const readerOf = (path: string): Reader<NodeEvent> | undefined =>
  isReadablePath(path) ? readers[path] : path === REBUILT_PATH ? readRebuilt : undefined;

/** Whether bodies of this path are parsed. All others are only acknowledged (docs/spec/ingestion.md#paths). */
export function isReadablePath(path: string): path is ReadablePath {
  return Object.hasOwn(readers, path);
}

/**
 * Parses the body of one POST of the node (or of one row of an archive) to an event, or returns the reason why it is invalid.
 * Never throws, whatever the bytes are.
 */
export function parseEvent(
  path: string,
  body: Uint8Array,
  limits: EventLimits = defaultEventLimits,
): Result<NodeEvent, EventError> {
  const read = readerOf(path);
  if (!read) return ok({ path: 'acknowledged', original: path });
  const divided = parseInPieces(read, body, limits, true);
  return divided ? ok(divided) : parseWhole(read, body, limits);
}

/** As parseEvent, for a caller that needs no `events`: those of a large body are checked, but left out of the result. */
export function checkEvent(
  path: string,
  body: Uint8Array,
  limits: EventLimits = defaultEventLimits,
): Result<NodeEvent, EventError> {
  const read = readerOf(path);
  const divided = read && parseInPieces(read, body, limits, false);
  return divided ? ok(divided) : parseEvent(path, body, limits);
}

/** Bytes above which a body is parsed in pieces. */
const LARGE_BODY = 1_000_000;

/** Undefined for a body that is small, invalid, or cannot be divided: the caller parses it as a whole, which returns the reason. */
function parseInPieces(
  read: Reader<NodeEvent>,
  body: Uint8Array,
  limits: EventLimits,
  keepsEvents: boolean,
): NodeEvent | undefined {
  if (body.length <= LARGE_BODY || body.length > limits.maxBodyBytes) return undefined;
  if (isNestedDeeperThan(limits.maxNesting, body)) return undefined;
  const divided = divideBody(body, 'events', keepsEvents);
  if (!divided) return undefined;
  const { rest, list } = divided;
  const json = parseJson(rest, limits);
  if (!json.ok) return undefined;
  try {
    return read({ ...(withExactNumbers(json.value, rest) as object), events: list }, {});
  } catch (error) {
    if (error instanceof InvalidField || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseWhole(read: Reader<NodeEvent>, body: Uint8Array, limits: EventLimits): Result<NodeEvent, EventError> {
  const json = parseJson(body, limits);
  if (!json.ok) return json;
  try {
    return ok(read(withExactNumbers(json.value, body), {}));
  } catch (error) {
    if (error instanceof InvalidField) return fail(eventError('field_invalid', error.describe('body')));
    throw error;
  }
}

function transactionsOf(body: unknown): readonly unknown[] {
  const transactions = (body as { transactions?: unknown } | null)?.transactions;
  return Array.isArray(transactions) ? transactions : [];
}

function burnchainOpOf(transaction: unknown): unknown {
  return (transaction as { burnchain_op?: unknown } | null)?.burnchain_op ?? null;
}

/** The value with the exact numbers of its operations. */
function withExactNumbers(value: unknown, body: Uint8Array): unknown {
  return hasInexactOp(value) ? withExactOps(value, parseJsonExactly(body)) : value;
}

/** Whether an operation holds a number that the parser may have rounded. */
function hasInexactOp(body: unknown): boolean {
  return transactionsOf(body).some(transaction => hasInexactNumber(burnchainOpOf(transaction)));
}

function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
}

/** Takes only the operations from the exact parse: bigints elsewhere could not be written as JSON. */
function withExactOps(body: unknown, exact: unknown): unknown {
  const exactTransactions = transactionsOf(exact);
  const transactions = transactionsOf(body).map((transaction, i) => {
    const op = burnchainOpOf(exactTransactions[i]);
    return op === null ? transaction : { ...(transaction as object), burnchain_op: op };
  });
  return { ...(body as object), transactions };
}

export type EventSummary = Readonly<Record<string, string | number>>;

/** An event with empty lists, in which form threads send a large one to each other. */
export function withoutLists(event: NodeEvent): NodeEvent {
  switch (event.path) {
    case '/new_block':
      return {
        ...event,
        block: {
          ...event.block,
          transactions: [],
          events: [],
          matured_miner_rewards: [],
          signer_signature: [],
          reward_set: null,
        },
      };
    case '/new_burn_block': {
      const lists = { reward_recipients: [], reward_slot_holders: [], pox_transactions: [] };
      return { ...event, burnBlock: { ...event.burnBlock, ...lists } };
    }
    case '/new_microblocks':
      return { ...event, microblocks: { ...event.microblocks, transactions: [], events: [] } };
    case '/new_mempool_tx':
      return { ...event, rawTxs: [] };
    case '/drop_mempool_tx':
      return { ...event, drop: { ...event.drop, dropped_txids: [] } };
    case '/attachments/new':
      return { ...event, attachments: [] };
    case 'acknowledged':
      return event;
    default:
      return event satisfies never;
  }
}

/** The fields of a log line about an event: the block it concerns, or how many things it brings. */
export function eventSummary(event: NodeEvent): EventSummary {
  switch (event.path) {
    case '/new_block':
      return { height: event.block.block_height, hash: event.block.index_block_hash };
    case '/new_burn_block':
      return { burnHeight: event.burnBlock.burn_block_height, hash: event.burnBlock.burn_block_hash };
    case '/new_microblocks':
      return { parent: event.microblocks.parent_index_block_hash, transactions: event.microblocks.transactions.length };
    case '/new_mempool_tx':
      return { transactions: event.rawTxs.length };
    case '/drop_mempool_tx':
      return { transactions: event.drop.dropped_txids.length, reason: event.drop.reason };
    case '/attachments/new':
      return { attachments: event.attachments.length };
    case 'acknowledged':
      return {};
    default:
      return event satisfies never;
  }
}
