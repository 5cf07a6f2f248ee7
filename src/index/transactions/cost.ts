import type { ExecutionCost } from '../../ingest/node/events/transaction.ts';

/** What execution took, as it is served. */
export interface CostFields {
  readonly execution_cost_read_count: number;
  readonly execution_cost_read_length: number;
  readonly execution_cost_runtime: number;
  readonly execution_cost_write_count: number;
  readonly execution_cost_write_length: number;
}

export const costFields = (cost: ExecutionCost): CostFields => ({
  execution_cost_read_count: cost.read_count,
  execution_cost_read_length: cost.read_length,
  execution_cost_runtime: cost.runtime,
  execution_cost_write_count: cost.write_count,
  execution_cost_write_length: cost.write_length,
});
