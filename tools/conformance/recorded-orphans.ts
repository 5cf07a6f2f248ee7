import { burnBlockRecord } from '../../test/model/responses/burn-blocks.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';

const BURN_BLOCK = /^\/extended\/v2\/burn-blocks\/(?:0x)?([0-9a-f]{64})$/;
const BY_BURN_BLOCK = /^\/extended\/v1\/block\/by_burn_block_hash\/(?:0x)?([0-9a-f]{64})/;

/**
 * A burn block whose Stacks blocks are all orphaned, which was not found by its hash although getBlockByBurnBlockHashV1 shows such a block of
 * it. Compared with what the archive says of its blocks.
 */
export const orphanedBurnBlock: Correction = {
  reason: 'of burn blocks with orphaned blocks only',
  correct(recorded, { others }) {
    const [, digits] = BURN_BLOCK.exec(recorded.path) ?? [];
    if (digits === undefined || recorded.status !== 404) return undefined;
    const blocks = others
      .filter(({ burnHash, height }) => burnHash === `0x${digits}` && height > 0)
      .sort((a, b) => a.height - b.height || b.arrival - a.arrival);
    if (blocks.length === 0) return undefined;
    return { ...recorded, status: 200, body: { ...burnBlockRecord(blocks), canonical: false } as Json };
  },
};

/** The same of a recording alone: it has no archive, so that such responses are left out where it shows an orphaned block of the burn block. */
export function withoutOrphanedBurnBlocks<A extends Recorded>(
  responses: readonly A[],
): { responses: A[]; changed: number } {
  const orphaned = new Set(
    responses.flatMap(({ path, status, body }) => {
      const [, digits] = BY_BURN_BLOCK.exec(path) ?? [];
      return digits !== undefined && status === 200 && (body as { canonical?: Json }).canonical === false
        ? [digits]
        : [];
    }),
  );
  const kept = responses.filter(
    ({ path, status }) => status !== 404 || !orphaned.has(BURN_BLOCK.exec(path)?.[1] ?? ''),
  );
  return { responses: kept, changed: responses.length - kept.length };
}
