import type { Json, Recorded } from '../../test/support/recording.ts';

interface BurnBlock {
  readonly burn_block_hash: string;
  readonly stacks_blocks: readonly string[];
}

const BURN_BLOCK = /^\/extended\/v2\/burn-blocks\/(0x[0-9a-f]{64}|\d+)$/;

/**
 * Burn blocks that the recording shows by height with the blocks of another burn block of that height: compared with what it shows for the same
 * one by hash.
 */
export function withoutNamesakes<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const found = responses.filter(({ path, status }) => status === 200 && BURN_BLOCK.test(path));
  const byHash = new Map(found.filter(({ path }) => path.includes('/0x')).map(({ body }) => [hashOf(body), body]));
  let changed = 0;
  const corrected = responses.map(response => {
    const own =
      BURN_BLOCK.test(response.path) && response.status === 200 ? byHash.get(hashOf(response.body)) : undefined;
    if (own === undefined || lengthOf(own) >= lengthOf(response.body)) return response;
    changed++;
    return { ...response, body: own };
  });
  return { responses: corrected, changed };
}

const hashOf = (body: Json): string => (body as unknown as BurnBlock).burn_block_hash;
const lengthOf = (body: Json): number => (body as unknown as BurnBlock).stacks_blocks.length;
