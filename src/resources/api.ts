import type { FastifyBaseLogger } from 'fastify';
import { networkOf } from '../chain/network.ts';
import type { TipSource } from '../chain/tip.ts';
import { type Api, createServer } from '../http/server.ts';
import { addStatusRoutes, type StatusSource } from '../http/status.ts';
import type { ApiContext } from './api-context.ts';
import { addBlockByBurnBlockRoute } from './blocks/by-burn-block.ts';
import { addBlockRoutes } from './blocks/routes.ts';
import { addBurnBlockRoute } from './burnchain/burn-block-routes.ts';
import { addRewardSlotRoutes } from './burnchain/routes.ts';
import { addPoxRoutes } from './pox/routes.ts';
import { addTransactionRoutes } from './transactions/routes.ts';
import type { Database } from '../store/database.ts';

export interface ApiParts {
  readonly db: Database;
  readonly tip: TipSource;
  readonly status: StatusSource;
  readonly chainId: number;
  readonly version: string;
  readonly logger?: FastifyBaseLogger;
}

/** The whole API: every resource adds its routes. */
export function createApi({ db, tip, status, chainId, version, logger }: ApiParts): Api {
  const api = createServer({ version, tip, ...(logger && { logger }) });
  const context: ApiContext = { db, tip, network: networkOf(chainId) };
  addStatusRoutes(api, version, tip, status);
  addBlockRoutes(api, context);
  addBlockByBurnBlockRoute(api, context);
  addBurnBlockRoute(api, context);
  addRewardSlotRoutes(api, context);
  addPoxRoutes(api, context);
  addTransactionRoutes(api, context);
  return api;
}
