import { fromHex } from '../../../src/lib/hex.ts';
import type { Payload, World } from '../world.ts';
import { isNameContract, member, nameOf, tupleOf } from './name-values.ts';

export interface Subdomain {
  readonly owner: string;
  /** The name it is a part of. */
  readonly parent: string;
}

/** By full name, as the newest zone file in the canonical chain says; of one block that with the highest number. */
export function subdomainsOf(world: World): Map<string, Subdomain> {
  const heights = new Map(world.blocks.map(({ indexHash, height }) => [indexHash, height]));
  const zoneFiles = world.attachments
    .filter(({ contract_id, index_block_hash }) => isNameContract(contract_id) && heights.has(index_block_hash))
    .toSorted(
      (a, b) =>
        (heights.get(a.index_block_hash) ?? 0) - (heights.get(b.index_block_hash) ?? 0) ||
        a.attachment_index - b.attachment_index,
    );
  return new Map(zoneFiles.flatMap(statedBy));
}

const MOST_BYTES = 1024 * 1024;
const MOST_CHARACTERS = 250;

function statedBy({ metadata, content }: Payload): [string, Subdomain][] {
  const tuple = tupleOf(metadata);
  const op = member(tuple, 'op');
  const parent = nameOf(tuple);
  const bytes = fromHex(content);
  if (!bytes || bytes.length > MOST_BYTES) return [];
  if (parent === undefined || op?.type !== 'string-ascii' || op.value !== 'name-update') return [];
  return Buffer.from(bytes)
    .toString()
    .split(/\r?\n/)
    .flatMap(line => {
      const { label, owner } = recordOf(line) ?? {};
      return label && owner && [label, owner].every(isKept) ? [[`${label}.${parent}`, { owner, parent }]] : [];
    });
}

const isKept = (part: string): boolean => part.length <= MOST_CHARACTERS && !part.includes('\0');

/** `label [ttl] [class] TXT "owner=..." ...`, quoted or bare. The owner goes up to a second `=`. */
function recordOf(line: string): { label: string; owner: string } | undefined {
  const [, label, strings] = /^(\S+)\s+(?:\d+\s+)?(?:IN\s+)?TXT\s+(.*)$/i.exec(line) ?? [];
  const owner = strings?.match(/"[^"]*"|[^\s"]+/g)?.find(string => /^"?owner=/.test(string));
  return label && owner ? { label, owner: owner.replaceAll('"', '').split('=')[1] ?? '' } : undefined;
}
