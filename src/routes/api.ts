import { networkOf } from '../chain/network.ts';
import { addDocumentation } from '../http/openapi.ts';
import { type Api, createServer, type ServerOptions } from '../http/server.ts';
import type { StatusSource } from '../http/status.ts';
import { addProbes } from '../http/status.ts';
import { type MetadataSource, withoutPipeline } from '../metadata/source.ts';
import type { MempoolSource } from '../resources/mempool/queries.ts';
import type { NameVersions } from '../resources/names/queries.ts';
import type { Database } from '../store/database.ts';
import type { ApiContext } from './context.ts';
import { addBlockV1Routes } from './extended/v1/block.ts';
import { addBurnchainRoutes } from './extended/v1/burnchain.ts';
import { addContractRoutes } from './extended/v1/contract.ts';
import { addPoxV1Routes } from './extended/v1/pox.ts';
import { addSearchRoutes } from './extended/v1/search.ts';
import { addTokenRoutes } from './extended/v1/tokens.ts';
import { addTransactionV1Routes } from './extended/v1/tx.ts';
import { addAddressRoutes } from './extended/v2/addresses.ts';
import { addBlockRoutes } from './extended/v2/blocks.ts';
import { addBurnBlockRoutes } from './extended/v2/burn-blocks.ts';
import { addMempoolRoutes } from './extended/v2/mempool.ts';
import { addPoxRoutes } from './extended/v2/pox.ts';
import { addStatusRoutes } from './extended.ts';
import { addMetadataRoutes } from './metadata.ts';
import { addImageRoutes } from './metadata-images.ts';
import { overview } from './overview.ts';
import { addNameRoutes } from './v1/addresses.ts';

export interface ApiParts extends ServerOptions {
  readonly db: Database;
  readonly mempool: MempoolSource;
  /** Without it, only what METADATA_TABLES of `db` have is served, and nothing is fetched. */
  readonly metadata?: MetadataSource;
  readonly status: StatusSource;
  readonly chainId: number;
  /** Both versions of BNS, unless given. */
  readonly names?: NameVersions;
}

/** The whole API. */
export function createApi(parts: ApiParts): Api {
  const { db, tip, mempool, metadata = withoutPipeline(db), status, chainId, version, names = 'v1+v2' } = parts;
  const server = createServer(parts);
  const context: ApiContext = { db, tip, mempool, metadata, network: networkOf(chainId), names };
  addProbes(server, status);
  addDocumentation(server, overview(version));
  // A plugin, as the documentation has only the routes of plugins that come after its own.
  server.register(async (api: Api) => {
    // /extended
    addStatusRoutes(api, version, tip, status);
    // /extended/v2
    addBlockRoutes(api, context);
    addBurnBlockRoutes(api, context);
    addAddressRoutes(api, context);
    addMempoolRoutes(api, context);
    addPoxRoutes(api, context);
    // /extended/v1
    addBlockV1Routes(api, context);
    addTransactionV1Routes(api, context);
    addContractRoutes(api, context);
    addTokenRoutes(api, context);
    addPoxV1Routes(api, context);
    addBurnchainRoutes(api, context);
    addSearchRoutes(api, context);
    // /v1
    addNameRoutes(api, context);
    // /metadata
    addMetadataRoutes(api, context, version);
    addImageRoutes(api, metadata.images);
  });
  return server;
}
