import type { Network } from '../../chain/network.ts';
import { tupleMember } from '../../codec/index.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { fromHex, hexBytes } from '../../lib/hex.ts';
import type { Attachment } from '../../node/events/attachments.ts';
import { bnsContract, decodeTuple } from './facts.ts';
import { SUBDOMAINS } from './tables.ts';
import { nameToken } from './token.ts';
import { subdomainRecords } from './zone-file.ts';

/** Zone files are at most some 10 kB; a longer content than this is not read. */
const MAX_ZONE_FILE = 1024 * 1024;

/**
 * Keeps the subdomains that the zone files of these attachments state, whatever becomes of their blocks. Only `name-update`
 * makes subdomains. A repeated delivery writes the same rows again.
 */
export function keepAttachments(attachments: readonly Attachment[], workspace: Workspace, network: Network): void {
  for (const attachment of attachments) {
    if (attachment.contract_id === bnsContract(network)) keepSubdomains(attachment, workspace);
  }
}

function keepSubdomains(attachment: Attachment, workspace: Workspace): void {
  const metadata = decodeTuple(attachment.metadata);
  const op = metadata && tupleMember(metadata, 'op');
  const parent = metadata && nameToken(metadata);
  const content = fromHex(attachment.content);
  if (!parent || op?.type !== 'string-ascii' || op.value !== 'name-update') return;
  if (!content || content.length > MAX_ZONE_FILE) return;
  const block = hexBytes(attachment.index_block_hash);
  const tx = hexBytes(attachment.tx_id);
  for (const { label, owner } of subdomainRecords(Buffer.from(content).toString('utf8'))) {
    workspace.keep(SUBDOMAINS, {
      subdomain: `${label}.${parent.text}`,
      index_block_hash: block,
      tx_id: tx,
      attachment_index: attachment.attachment_index,
      parent: parent.bytes,
      owner,
    });
  }
}
