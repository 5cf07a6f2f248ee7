/** The door to the JSON texts of the transactions of a principal. */
import type { PackedCounts } from './members.ts';

/** Numbers of events. */
interface CountsByAction {
  readonly transfer: number;
  readonly mint: number;
  readonly burn: number;
}

/** Numbers of events that touch a principal, by asset. */
export interface EventCounts {
  readonly stx: CountsByAction;
  readonly ft: CountsByAction;
  readonly nft: CountsByAction;
}

const NO_COUNTS: PackedCounts = [0, 0, 0, 0, 0, 0, 0, 0, 0];

/** The counts of a column `counts` of ADDRESS_TXS. */
export function readEventCounts(text: string | null): EventCounts {
  const packed = text === null ? NO_COUNTS : (JSON.parse(text) as PackedCounts);
  const [stxTransfer, stxMint, stxBurn, ftTransfer, ftMint, ftBurn, nftTransfer, nftMint, nftBurn] = packed;
  return {
    stx: { transfer: stxTransfer, mint: stxMint, burn: stxBurn },
    ft: { transfer: ftTransfer, mint: ftMint, burn: ftBurn },
    nft: { transfer: nftTransfer, mint: nftMint, burn: nftBurn },
  };
}
