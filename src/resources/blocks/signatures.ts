import type { BlockRef } from '../../http/params.ts';
import { toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { findBlock } from './queries.ts';
import type { BLOCK_SIGNATURES } from './tables.ts';

/** Bytes of a signature. */
const SIZE = 65;

/** The signatures of a block's signers as they are stored: one after the other, in the order of the node. @param signatures hex */
export const packSignatures = (signatures: readonly string[]): Uint8Array | null =>
  signatures.length === 0 ? null : Buffer.from(signatures.join(''), 'hex');

/** Those of a canonical block, 0x hex; none for a block that is not known or was not signed. */
export async function signerSignatures(queries: Queries, ref: BlockRef): Promise<string[]> {
  const block = await findBlock(queries, ref);
  const row =
    block &&
    (await queries.get<RowOf<typeof BLOCK_SIGNATURES, 'signatures'>>(
      'SELECT signatures FROM block_signatures WHERE seq = ?',
      [block.height - 1],
    ));
  return row ? unpackSignatures(row.signatures) : [];
}

const unpackSignatures = (packed: Uint8Array | null): string[] =>
  Array.from({ length: (packed?.length ?? 0) / SIZE }, (_, i) =>
    toHex((packed as Uint8Array).subarray(i * SIZE, (i + 1) * SIZE)),
  );
