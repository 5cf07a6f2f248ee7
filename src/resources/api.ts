import { networkOf } from '../chain/network.ts';
import { addDocumentation } from '../http/openapi.ts';
import { addProbes } from '../http/probes.ts';
import { type Api, createServer, type ServerOptions } from '../http/server.ts';
import { addStatusRoutes, type StatusSource } from '../http/status.ts';
import { type MetadataSource, withoutPipeline } from '../metadata/source.ts';
import type { Database } from '../store/database.ts';
import { addAddressRoutes } from './addresses/routes.ts';
import type { ApiContext } from './api-context.ts';
import { addBlockByBurnBlockRoute } from './blocks/by-burn-block.ts';
import { addBlockRoutes } from './blocks/routes.ts';
import { addBurnBlockRoute } from './burnchain/burn-block-routes.ts';
import { addRewardSlotRoutes } from './burnchain/routes.ts';
import { addContractRoutes } from './contracts/routes.ts';
import { documentation } from './documentation.ts';
import { addMempoolRoutes } from './mempool/routes.ts';
import type { MempoolSource } from './mempool/version.ts';
import { addNameRoutes } from './names/routes.ts';
import { addNftRoutes } from './nft/routes.ts';
import { addPoxRoutes } from './pox/routes.ts';
import { addSearchRoutes } from './search/routes.ts';
import { addTokenMetadataRoutes } from './token-metadata/routes.ts';
import { addTransactionRoutes } from './transactions/routes.ts';

export interface ApiParts extends ServerOptions {
  readonly db: Database;
  readonly mempool: MempoolSource;
  /** Without it, only what METADATA_TABLES of `db` have is served, and nothing is fetched. */
  readonly metadata?: MetadataSource;
  readonly status: StatusSource;
  readonly chainId: number;
}

/** The whole API: every resource adds its routes. */
export function createApi(parts: ApiParts): Api {
  const { db, tip, mempool, metadata = withoutPipeline(db), status, chainId, version } = parts;
  const api = createServer(parts);
  const context: ApiContext = { db, tip, mempool, metadata, network: networkOf(chainId) };
  addDocumentation(api, documentation(version));
  addStatusRoutes(api, version, tip, status);
  addProbes(api, status);
  addBlockRoutes(api, context);
  addBlockByBurnBlockRoute(api, context);
  addBurnBlockRoute(api, context);
  addRewardSlotRoutes(api, context);
  addPoxRoutes(api, context);
  addNameRoutes(api, context);
  addTransactionRoutes(api, context);
  addMempoolRoutes(api, context);
  addAddressRoutes(api, context);
  addContractRoutes(api, context);
  addNftRoutes(api, context);
  addTokenMetadataRoutes(api, context, version);
  addSearchRoutes(api, context);
  return api;
}
