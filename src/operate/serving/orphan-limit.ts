import type { Gap } from '../../ingest/chain/unapplied.ts';
import { NotAccepted } from '../../ingest/node/event-server.ts';
import type { NodeEvent } from '../../ingest/node/events/parse.ts';

/** Queries of the index about the chain. */
export interface KnownChain {
  isKnown(indexBlockHash: string): Promise<boolean>;
  /** Missing blocks for which others wait. */
  gaps(): Promise<readonly Gap[]>;
}

/** Accepted blocks to remember, as the index may not have them yet. Many more than a node is ever ahead of it. */
const REMEMBERED = 10_000;
/** Milliseconds between queries for the missing parents, while orphans are refused. */
const LOOK_EVERY = 1_000;

const HINT =
  'If the node sent it, load an archive of the missing blocks, or give the event port a secret (--event-secret), which ends this limit.';

/**
 * Without a secret, any client that reaches the event port can post blocks with unknown parents. The journal keeps them all, as a node
 * that starts in the middle of the chain posts such a block, too. So the number of missing parents is limited. A block whose parent is
 * known, or was accepted a moment ago, is no orphan: of a node that starts in the middle, the limit affects only the first block.
 * @param known looks up the parent of a block, if it was not accepted here
 */
export function orphanLimit(most: number, known: KnownChain, now: () => number = () => performance.now()) {
  const accepted = new Set<string>();
  /** Missing parents of blocks that were accepted here: the index may not know of these blocks yet. */
  const opened = new Set<string>();
  /** The missing parents that the index reported last. */
  let reported: readonly string[] | undefined;
  let lookAgainAt = Number.NEGATIVE_INFINITY;

  const remember = (hash: string) => {
    accepted.add(hash);
    const [oldest] = accepted;
    if (accepted.size > REMEMBERED && oldest !== undefined) accepted.delete(oldest);
  };

  /** Queries the index again. */
  async function look(): Promise<void> {
    reported = (await known.gaps()).map(({ missingParent }) => missingParent);
    for (const parent of opened) if (accepted.has(parent) || (await known.isKnown(parent))) opened.delete(parent);
  }

  const isFull = (parent: string): boolean => {
    const missing = new Set([...opened, ...(reported ?? [])]);
    return !missing.has(parent) && missing.size >= most;
  };

  return {
    /** @throws NotAccepted for a block that would be one orphan too many */
    async check(event: NodeEvent): Promise<void> {
      if (event.path !== '/new_block') return;
      const { index_block_hash: hash, parent_index_block_hash: parent, block_height: height } = event.block;
      if (height > 1 && !accepted.has(parent)) await checkOrphan(hash, parent);
      remember(hash);
    },
  };

  async function checkOrphan(hash: string, parent: string): Promise<void> {
    if ((await known.isKnown(parent)) || (await known.isKnown(hash))) return;
    if (reported === undefined) await look();
    if (isFull(parent) && now() >= lookAgainAt) {
      lookAgainAt = now() + LOOK_EVERY;
      await look();
    }
    if (isFull(parent)) throw refusal(most);
    opened.add(parent);
  }
}

const refusal = (most: number): NotAccepted =>
  new NotAccepted(`The parent of the block is not known, and ${most} others are missing already.`, HINT);
