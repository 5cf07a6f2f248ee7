/** `GET /extended`: version, tip, and how far the index is behind what the node delivered (docs/spec/http.md#status). */
import type { FastifyReply } from 'fastify';
import type { Gap } from '../chain/gap.ts';
import type { Tip, TipSource } from '../chain/tip.ts';
import { tipVersion } from './caching.ts';
import { redirect } from './conventions.ts';
import type { Api } from './server.ts';
import { StatusSchema } from './status-schema.ts';

/** The state of the index. Positions count the events of the journal. */
export interface IndexStatus {
  readonly journalPosition: number;
  readonly indexedPosition: number;
  readonly gaps: readonly Gap[];
  /** Burn block heights at which locks of PoX 1, 2 and 3 end; null while unknown. */
  readonly poxUnlockHeights: readonly [v1: number | null, v2: number | null, v3: number | null];
}

export interface StatusSource {
  current(): IndexStatus | Promise<IndexStatus>;
}

/** A status names at most this many gaps. */
const MAX_GAPS = 100;

/** Adds `/extended`, and the redirects to it from `/` and `/extended/v1/status`. */
export function addStatusRoutes(api: Api, version: string, tip: TipSource, source: StatusSource): void {
  const etag = async () => {
    const current = tip.current();
    return current && statusVersion(current, await source.current());
  };
  api.get('/extended', { config: { cache: etag, response: StatusSchema } }, async request => {
    const head = { server_version: `stacks-index v${version}`, status: 'ready' };
    try {
      return JSON.stringify({ ...head, ...describe(await source.current(), tip.current()) });
    } catch (error) {
      request.log.warn({ err: error, reqId: request.id }, 'status without details');
      return JSON.stringify(head);
    }
  });
  const toStatus = (_request: unknown, reply: FastifyReply) => redirect(reply, 301, '/extended');
  api.get('/', toStatus);
  api.get('/extended/v1/status', toStatus);
}

function describe(status: IndexStatus, tip: Tip | undefined) {
  const [v1, v2, v3] = status.poxUnlockHeights;
  return {
    pox_v1_unlock_height: v1,
    pox_v2_unlock_height: v2,
    pox_v3_unlock_height: v3,
    chain_tip: tip && describeTip(tip),
    lag: lag(status),
    gaps: status.gaps.slice(0, MAX_GAPS).map(gap => ({ height: gap.height, missing_parent: gap.missingParent })),
  };
}

function describeTip(tip: Tip) {
  return {
    block_height: tip.height,
    block_hash: tip.blockHash,
    index_block_hash: tip.indexBlockHash,
    burn_block_height: tip.burnBlockHeight,
    ...(tip.microblockHash !== null && { microblock_hash: tip.microblockHash }),
    ...(tip.microblockSequence !== null && { microblock_sequence: tip.microblockSequence }),
  };
}

/** Events that were accepted and are not in the index yet. */
const lag = (status: IndexStatus): number => status.journalPosition - status.indexedPosition;

/** The tip's version while the index is whole; else also what makes it not whole, as that changes under one tip. */
function statusVersion(tip: Tip, status: IndexStatus): string {
  const gaps = status.gaps.map(gap => `${gap.height}.${gap.missingParent}`);
  const whole = lag(status) === 0 && gaps.length === 0;
  return whole ? tipVersion(tip) : [tipVersion(tip), lag(status), ...gaps].join(':');
}
