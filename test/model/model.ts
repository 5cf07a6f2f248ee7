import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { addressEventRoutes } from './responses/address-events.ts';
import { addressTransactionRoutes } from './responses/address-transactions.ts';
import { balanceRoutes } from './responses/balances.ts';
import { blockRoutes } from './responses/blocks.ts';
import { burnBlockRoutes } from './responses/burn-blocks.ts';
import { contractRoutes } from './responses/contracts.ts';
import { delegationRoutes } from './responses/delegations.ts';
import { eventRoutes } from './responses/events.ts';
import { historyRoutes } from './responses/histories.ts';
import { mempoolRoutes } from './responses/mempool.ts';
import { microblockRoutes } from './responses/microblocks.ts';
import { nameInfoRoutes } from './responses/name-info.ts';
import { nameRoutes } from './responses/names.ts';
import { nftRoutes } from './responses/nfts.ts';
import { nonceRoutes } from './responses/nonces.ts';
import { poxCycleRoutes } from './responses/pox-cycles.ts';
import { poxEventRoutes } from './responses/pox-events.ts';
import { rewardRoutes } from './responses/rewards.ts';
import { searchRoutes } from './responses/search.ts';
import { slotHolderRoutes } from './responses/slot-holders.ts';
import { supplyRoutes } from './responses/supply.ts';
import { transactionRoutes } from './responses/transactions.ts';
import { transactionByIdRoutes } from './responses/transactions-by-id.ts';
import { cycleRewardRoutes } from './responses/v3/cycle-rewards.ts';
import { cycleStakerRoutes } from './responses/v3/cycle-stakers.ts';
import { forkRoutes } from './responses/v3/forks.ts';
import { v3LogRoutes } from './responses/v3/logs.ts';
import { v3MovementRoutes } from './responses/v3/movements.ts';
import { v3PrincipalRoutes } from './responses/v3/principals.ts';
import { v3SearchRoutes } from './responses/v3/search.ts';
import { stakingRoutes } from './responses/v3/staking.ts';
import { bondRoutes } from './responses/v3/staking-bonds.ts';
import { stakingSignerRoutes } from './responses/v3/staking-signers.ts';
import { v3StxTransferRoutes } from './responses/v3/stx-transfers.ts';
import { v3TokenRoutes } from './responses/v3/tokens.ts';
import { v3TransactionRoutes } from './responses/v3/transactions.ts';
import { v3TransactionByIdRoutes } from './responses/v3/transactions-by-id.ts';
import type { ApiResponse, Route } from './route.ts';
import type { World } from './world.ts';
import { worldOf } from './world-of.ts';

/** The endpoints of the model; the first that fits counts. */
export const MODEL_ROUTES: readonly Route[] = [
  ...blockRoutes,
  ...forkRoutes,
  ...burnBlockRoutes,
  ...transactionRoutes,
  ...microblockRoutes,
  ...mempoolRoutes,
  ...eventRoutes,
  ...transactionByIdRoutes,
  ...nonceRoutes,
  ...historyRoutes,
  ...addressEventRoutes,
  ...searchRoutes,
  ...addressTransactionRoutes,
  ...balanceRoutes,
  ...contractRoutes,
  ...delegationRoutes,
  ...nameRoutes,
  ...nameInfoRoutes,
  ...nftRoutes,
  ...poxCycleRoutes,
  ...poxEventRoutes,
  ...slotHolderRoutes,
  ...rewardRoutes,
  ...supplyRoutes,
  ...stakingRoutes,
  ...v3SearchRoutes,
  ...v3TokenRoutes,
  ...v3LogRoutes,
  ...bondRoutes,
  ...stakingSignerRoutes,
  ...cycleRewardRoutes,
  ...cycleStakerRoutes,
  ...v3TransactionRoutes,
  ...v3TransactionByIdRoutes,
  ...v3MovementRoutes,
  ...v3PrincipalRoutes,
  ...v3StxTransferRoutes,
];

/**
 * The response of the model to a valid request. Deliveries are read once: the same list must not change afterwards.
 * Throws for an endpoint that the model does not have; check with routeOf.
 */
export function modelResponse(chain: readonly Delivery[] | World, path: string): ApiResponse {
  const found = routeOf(path);
  if (!found) throw new Error(`the model has no endpoint for ${path}`);
  const world = isWorld(chain) ? chain : worldOf(chain);
  return found.route.respond(world, found.params, found.query);
}

/** The endpoint of a request, with its parameters; undefined for one that the model does not have. */
export function routeOf(path: string) {
  const at = path.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : path.slice(at + 1));
  const segments = segmentsOf(at < 0 ? path : path.slice(0, at));
  for (const route of MODEL_ROUTES) {
    const params = paramsOf(segmentsOf(route.template), segments);
    if (params) return { route, params, query };
  }
  return undefined;
}

const isWorld = (chain: readonly Delivery[] | World): chain is World => !Array.isArray(chain);

/** A slash at the end counts for nothing. */
const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/');

function paramsOf(template: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  if (template.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of template.entries()) {
    const given = path[i] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decodeURIComponent(given);
    else if (segment !== given) return undefined;
  }
  return params;
}
