/** Contracts whose calls and prints the explorer describes in words (docs/explorer.md#words). */

/** The addresses of contracts that are part of the chain itself. */
export const BOOT: readonly string[] = ['SP000000000000000000002Q6VF78', 'ST000000000000000000002AMW42H'];

export const BNS_V2_IDS: readonly string[] = [
  'SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF.BNS-V2',
  'ST2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D9SZJQ0M.BNS-V2',
];

/** The address of the contracts of sBTC. */
export const SBTC = 'SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4';
