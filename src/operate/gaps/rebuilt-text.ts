import type { RebuiltSummary } from '../../ingest/chain/unapplied.ts';

/** The sentence of `verify`, `compare` and `snapshot` about blocks that no node has delivered. */
export function rebuiltText({ count, unknown }: Pick<RebuiltSummary, 'count' | 'unknown'>): string {
  const fields = unknown.length === 0 ? '' : `; of some the index does not know ${unknown.join(', ')}`;
  return `${count} blocks were rebuilt from a node and never delivered (stacks-index gaps --rebuilt lists them)${fields}. An archive that has them replaces them: stacks-index replay ARCHIVE.`;
}
