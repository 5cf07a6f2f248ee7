import { tupleMember } from '../../base/codec/index.ts';
import { fromHex, hexBytes } from '../../base/lib/hex.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import type { Attachment } from '../../ingest/node/events/bodies.ts';
import { bnsContract, decodeTuple } from './facts.ts';
import { SUBDOMAINS, ZONE_FILES } from './tables.ts';
import { nameToken } from './token.ts';
import { subdomainHash, subdomainRecords, zoneFileText } from './zone-file.ts';

/** Longest content that is read, in bytes; zone files have at most some 10 kB. */
const MAX_ZONE_FILE = 1024 * 1024;

/**
 * Stores the zone files of these attachments and the subdomains in them, even if their blocks are never applied. Only
 * `name-update` makes subdomains. A repeated delivery writes the same rows again.
 */
export function keepAttachments(attachments: readonly Attachment[], workspace: Workspace, network: Network): void {
  for (const attachment of attachments) {
    if (attachment.contract_id === bnsContract(network)) keepZoneFile(attachment, workspace);
  }
}

function keepZoneFile(attachment: Attachment, workspace: Workspace): void {
  const metadata = decodeTuple(attachment.metadata);
  const op = metadata && tupleMember(metadata, 'op');
  const name = metadata && nameToken(metadata);
  const content = fromHex(attachment.content);
  if (!name || !content || content.length > MAX_ZONE_FILE) return;
  const isUpdate = op?.type === 'string-ascii' && op.value === 'name-update';
  const subdomains = isUpdate ? subdomainRecords(zoneFileText(content)) : [];
  const place = {
    index_block_hash: hexBytes(attachment.index_block_hash),
    tx_id: hexBytes(attachment.tx_id),
    attachment_index: attachment.attachment_index,
    height: attachment.block_height,
  };
  const hash = hexBytes(attachment.content_hash);
  workspace.keep(ZONE_FILES, { token: name.bytes, ...place, hash, subdomains: subdomains.length, content });
  for (const { label, owner, zoneFile } of subdomains) {
    const subdomain = `${label}.${name.text}`;
    const zonefile_hash = subdomainHash(zoneFile);
    workspace.keep(SUBDOMAINS, { subdomain, ...place, parent: name.bytes, owner, zonefile_hash });
  }
}
