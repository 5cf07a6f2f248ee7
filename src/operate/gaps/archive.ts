import { AppError } from '../../base/lib/app-error.ts';
import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { Database, Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import type { EventLimits } from '../../ingest/node/events/json.ts';
import { type NodeEvent, parseEvent } from '../../ingest/node/events/parse.ts';
import type { MissingBlock } from './missing.ts';

/** Most bytes that one pass over an archive keeps in memory. For a larger gap, `replay` loads the archive. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024;
/** Rows whose hashes are looked up at once. */
const ROWS = 256;

type EventRow = Extract<ArchiveRow, { kind: 'event' }>;

/** An event of an archive that may belong to a gap. */
interface Candidate {
  readonly row: EventRow;
  readonly event: NodeEvent;
  /** Position in the archive. */
  readonly order: number;
}

/** An archive has more blocks that the index lacks than a repair keeps in memory. */
class GapTooLarge extends AppError {
  override readonly name = 'GapTooLarge';
  override readonly kind = 'operator';

  constructor() {
    super(`the archive has more than ${MOST_KEPT_BYTES / 1024 ** 2} MiB of events that the index lacks`, {
      hint: 'Load it with `stacks-index replay`: what is stored already is skipped.',
    });
  }
}

/**
 * Finds, in one pass over archives, the events that close gaps: missing blocks and their ancestors, with the burn blocks, microblocks and attachments of these
 * heights. It recognises known blocks by their index block hash, as archives may write an event with other bytes.
 */
export class GapSearch {
  readonly #db: Database;
  readonly #limits: EventLimits;
  readonly #missing: ReadonlyMap<string, MissingBlock>;
  readonly #highest: number;
  readonly #blocks = new Map<string, Candidate>();
  readonly #others: Candidate[] = [];
  #order = 0;
  #bytes = 0;

  constructor(db: Database, missing: readonly MissingBlock[], limits: EventLimits) {
    this.#db = db;
    this.#limits = limits;
    this.#missing = new Map(missing.map(block => [block.indexBlockHash, block]));
    this.#highest = Math.max(...missing.map(({ height }) => height));
  }

  /** Searches rows of an archive. @throws GapTooLarge */
  async search(rows: AsyncIterable<ArchiveRow>, onRow: () => void): Promise<void> {
    let batch: EventRow[] = [];
    for await (const row of rows) {
      onRow();
      if (row.kind === 'event' && SEARCHED.has(row.path)) batch.push(row);
      if (batch.length < ROWS) continue;
      await this.#take(batch);
      batch = [];
    }
    await this.#take(batch);
  }

  /** The events that close gaps, in the order of their archives. */
  found(): EventRow[] {
    const wanted = new Set<Candidate>();
    const hashes = new Set<string>();
    const parents = new Set<string>();
    for (const missing of this.#missing.keys())
      for (
        let hash = missing, found = this.#blocks.get(hash);
        found && !wanted.has(found);
        found = this.#blocks.get(hash)
      ) {
        wanted.add(found);
        hashes.add(hash);
        hash = blockOf(found)?.parent_index_block_hash ?? '';
        parents.add(hash);
      }
    const heights = [...wanted].map(candidate => blockOf(candidate)?.burn_block_height ?? 0);
    const [lowest, highest] = [Math.min(...heights), Math.max(...heights)];
    for (const other of this.#others) if (isOf(other.event, { hashes, parents, lowest, highest })) wanted.add(other);
    return [...wanted].sort((a, b) => a.order - b.order).map(({ row }) => row);
  }

  async #take(rows: readonly EventRow[]): Promise<void> {
    const named = rows.map(row => ({ row, hashes: hashesIn(row) }));
    const known = await this.#db.read(queries => knownHashes(queries, new Set(named.flatMap(({ hashes }) => hashes))));
    for (const { row, hashes } of named) {
      const order = this.#order++;
      if (hashes.length > 0 && hashes.every(hash => known.has(hash))) continue;
      const event = parseEvent(row.path, row.body, this.#limits);
      if (event.ok) this.#keep({ row, event: event.value, order }, known);
    }
  }

  #keep(candidate: Candidate, known: ReadonlySet<string>): void {
    const { event } = candidate;
    switch (event.path) {
      case '/new_block': {
        const { index_block_hash: hash, block_height: height } = event.block;
        if (known.has(hash) || height > this.#highest || this.#blocks.has(hash)) return;
        this.#blocks.set(hash, candidate);
        break;
      }
      case '/new_burn_block':
        if (known.has(event.burnBlock.burn_block_hash)) return;
        this.#others.push(candidate);
        break;
      case '/new_microblocks':
        this.#others.push(candidate);
        break;
      case '/attachments/new':
        if (!event.attachments.some(({ index_block_hash: hash }) => this.#isWanted(hash))) return;
        this.#others.push(candidate);
        break;
      case '/new_mempool_tx':
      case '/drop_mempool_tx':
      case 'acknowledged':
        return;
      default:
        event satisfies never;
    }
    this.#bytes += candidate.row.body.length;
    if (this.#bytes > MOST_KEPT_BYTES) throw new GapTooLarge();
  }

  #isWanted(hash: string): boolean {
    return this.#blocks.has(hash) || this.#missing.has(hash);
  }
}

const SEARCHED = new Set(['/new_block', '/new_burn_block', '/new_microblocks', '/attachments/new']);

const blockOf = ({ event }: Candidate) => (event.path === '/new_block' ? event.block : undefined);

/** The wanted events: blocks and their parents by hash, and a range of burn block heights. */
interface Wanted {
  readonly hashes: ReadonlySet<string>;
  readonly parents: ReadonlySet<string>;
  readonly lowest: number;
  readonly highest: number;
}

function isOf(event: NodeEvent, { hashes, parents, lowest, highest }: Wanted): boolean {
  switch (event.path) {
    case '/new_burn_block': {
      const height = event.burnBlock.burn_block_height;
      return height >= lowest && height <= highest;
    }
    case '/new_microblocks':
      // A block confirms microblocks on its parent.
      return [hashes, parents].some(set => set.has(event.microblocks.parent_index_block_hash));
    case '/attachments/new':
      return event.attachments.some(({ index_block_hash: hash }) => hashes.has(hash));
    case '/new_block':
    case '/new_mempool_tx':
    case '/drop_mempool_tx':
    case 'acknowledged':
      return false;
    default:
      return event satisfies never;
  }
}

/** The member with the hash that identifies an event, by path. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['/new_block', 'index_block_hash'],
  ['/new_burn_block', 'burn_block_hash'],
  ['/new_microblocks', 'microblock_hash'],
]);

/** The hashes that identify the blocks of an event, found without parsing, as most events of an archive are known. */
function hashesIn({ path, body }: { readonly path: string; readonly body: Uint8Array }): string[] {
  const name = NAMES.get(path);
  if (name === undefined) return [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return Array.from(text.matchAll(new RegExp(`"${name}"\\s*:\\s*"(0x[0-9a-f]{64})"`, 'g')), found => found[1] ?? '');
}

const LOOKUPS = [
  (list: string) => `SELECT index_block_hash AS hash FROM known_blocks WHERE index_block_hash IN ${list}`,
  (list: string) => `SELECT hash FROM burn_blocks WHERE hash IN ${list}`,
  (list: string) => `SELECT hash FROM known_microblocks WHERE hash IN ${list}`,
];

async function knownHashes(queries: Queries, hashes: ReadonlySet<string>): Promise<Set<string>> {
  const values = [...hashes].map(hexBytes);
  const found = new Set<string>();
  for (const sql of LOOKUPS)
    for (const { hash } of await allIn<{ readonly hash: Uint8Array }>(queries, sql, values)) found.add(toHex(hash));
  return found;
}
