import { fromHex } from '../../../src/base/lib/hex.ts';
import type { Payload, World } from '../world.ts';
import { isNameContract, member, nameOf, tupleOf } from './name-values.ts';

export interface Subdomain {
  readonly owner: string;
  /** The name it is a part of. */
  readonly parent: string;
  readonly txId: string;
  readonly zoneFile: Buffer;
  readonly resolver: string;
}

/** A zone file of a canonical block. */
export interface ZoneFile {
  readonly name: string | undefined;
  readonly hash: string;
  readonly text: string;
  /** Everything it states, by full name. */
  readonly subdomains: readonly [string, Subdomain][];
}

/** By full name, from the newest zone file in the canonical chain; of one block, the one with the highest number. */
export const subdomainsOf = (world: World): Map<string, Subdomain> =>
  new Map(zoneFilesOf(world).flatMap(({ subdomains }) => subdomains));

/** Those of canonical blocks, the oldest first. */
export function zoneFilesOf(world: World): ZoneFile[] {
  const heights = new Map(world.blocks.map(({ indexHash, height }) => [indexHash, height]));
  return world.attachments
    .filter(({ contract_id, index_block_hash }) => isNameContract(contract_id) && heights.has(index_block_hash))
    .toSorted(
      (a, b) =>
        (heights.get(a.index_block_hash) ?? 0) - (heights.get(b.index_block_hash) ?? 0) ||
        a.attachment_index - b.attachment_index,
    )
    .flatMap(attachment => {
      const bytes = fromHex(attachment.content);
      if (!bytes || bytes.length > MOST_BYTES) return [];
      const text = Buffer.from(bytes).toString();
      const hash = attachment.content_hash.slice(2);
      return [{ name: nameOf(tupleOf(attachment.metadata)), hash, text, subdomains: statedBy(attachment, text) }];
    });
}

const MOST_BYTES = 1024 * 1024;
const MOST_CHARACTERS = 250;

function statedBy({ metadata, tx_id: txId }: Payload, content: string): [string, Subdomain][] {
  const tuple = tupleOf(metadata);
  const op = member(tuple, 'op');
  const parent = nameOf(tuple);
  if (parent === undefined || op?.type !== 'string-ascii' || op.value !== 'name-update') return [];
  const lines = content.split(/\r?\n/);
  const resolver = lines
    .map(line => /^\S*resolver\S*\s.*URI\s+\d+\s+\d+\s+"([^"]*)"/.exec(line)?.[1])
    .findLast(Boolean);
  return lines.flatMap(line => {
    const { label, owner, zoneFile } = recordOf(line) ?? {};
    if (!label || !owner || !zoneFile || ![label, owner].every(isKept)) return [];
    return [[`${label}.${parent}`, { owner, parent, txId, zoneFile, resolver: resolver ?? '' }]];
  });
}

const isKept = (part: string): boolean => part.length <= MOST_CHARACTERS && !part.includes('\0');

/** `label [ttl] [class] TXT "owner=..." ...`, quoted or bare. Values go up to a second `=`. */
function recordOf(line: string): { label: string; owner: string; zoneFile: Buffer } | undefined {
  const [, label, strings] = /^(\S+)\s+(?:\d+\s+)?(?:IN\s+)?TXT\s+(.*)$/i.exec(line) ?? [];
  const pairs = (strings?.match(/"[^"]*"|[^\s"]+/g) ?? []).map(string => string.replaceAll('"', '').split('='));
  const owner = pairs.find(([key]) => key === 'owner')?.[1];
  const parts = pairs.filter(([key]) => key?.startsWith('zf')).map(([, value]) => value);
  return label && owner ? { label, owner, zoneFile: Buffer.from(parts.join(''), 'base64') } : undefined;
}
