import type { ExecutionCost } from '../node/events/transaction.ts';

/** What the blocks of one tenure may use together; before epoch 3, what a block may use (docs/spec/blocks.md#cells). */
export const COST_LIMITS: { readonly [cost in keyof ExecutionCost]: number } = {
  runtime: 5_000_000_000,
  read_count: 15_000,
  read_length: 100_000_000,
  write_count: 15_000,
  write_length: 15_000_000,
};
