import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { unpackSignatures } from '../../../index/blocks/signatures.ts';
import type { BLOCK_SIGNATURES } from '../../../index/blocks/tables.ts';
import type { BlockRef } from '../../http/params.ts';
import { findBlock } from './queries.ts';

/** The signatures of a canonical block, 0x hex; empty for an unknown or unsigned block. */
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
