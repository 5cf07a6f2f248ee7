/** Burn blocks above one that the burn chain is not expected to replace (docs/live.md, `finalized_height`). */
export const FINAL_BURN_BLOCKS = 6;
