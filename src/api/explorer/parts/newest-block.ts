import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';

/** The newest block of the chain; undefined before the first one. */
export async function newestBlock(api: ApiClient): Promise<Api.Block | undefined> {
  const { results } = await api.get<Api.OffsetPage<Api.Block>>('/extended/v2/blocks?limit=1');
  return results[0];
}
