import { count } from '../../http/schema.ts';

/** What execution took, in the units of the chain's cost functions. */
export const costProperties = {
  execution_cost_read_count: count(),
  execution_cost_read_length: count(),
  execution_cost_runtime: count(),
  execution_cost_write_count: count(),
  execution_cost_write_length: count(),
};
