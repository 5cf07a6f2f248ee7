import type { Delivery } from '../../src/journal/journal.ts';
import { addressEventRoutes } from './answers/address-events.ts';
import { addressTransactionRoutes } from './answers/address-transactions.ts';
import { balanceRoutes } from './answers/balances.ts';
import { blockRoutes } from './answers/blocks.ts';
import { burnBlockRoutes } from './answers/burn-blocks.ts';
import { contractRoutes } from './answers/contracts.ts';
import { delegationRoutes } from './answers/delegations.ts';
import { eventRoutes } from './answers/events.ts';
import { historyRoutes } from './answers/histories.ts';
import { mempoolRoutes } from './answers/mempool.ts';
import { microblockRoutes } from './answers/microblocks.ts';
import { nameInfoRoutes } from './answers/name-info.ts';
import { nameRoutes } from './answers/names.ts';
import { nftRoutes } from './answers/nfts.ts';
import { nonceRoutes } from './answers/nonces.ts';
import { poxCycleRoutes } from './answers/pox-cycles.ts';
import { poxEventRoutes } from './answers/pox-events.ts';
import { rewardRoutes } from './answers/rewards.ts';
import { searchRoutes } from './answers/search.ts';
import { slotHolderRoutes } from './answers/slot-holders.ts';
import { supplyRoutes } from './answers/supply.ts';
import { transactionRoutes } from './answers/transactions.ts';
import { transactionByIdRoutes } from './answers/transactions-by-id.ts';
import { forkRoutes } from './answers/v3/forks.ts';
import { v3PrincipalRoutes } from './answers/v3/principals.ts';
import { v3SearchRoutes } from './answers/v3/search.ts';
import { stakingRoutes } from './answers/v3/staking.ts';
import { bondRoutes } from './answers/v3/staking-bonds.ts';
import { stakingSignerRoutes } from './answers/v3/staking-signers.ts';
import { v3StxTransferRoutes } from './answers/v3/stx-transfers.ts';
import { v3TokenRoutes } from './answers/v3/tokens.ts';
import { v3TransactionRoutes } from './answers/v3/transactions.ts';
import { v3TransactionByIdRoutes } from './answers/v3/transactions-by-id.ts';
import type { Answer, Route } from './route.ts';
import type { World } from './world.ts';
import { worldOf } from './world-of.ts';

/** The endpoints that the model answers; the first that fits counts. */
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
  ...bondRoutes,
  ...stakingSignerRoutes,
  ...v3TransactionRoutes,
  ...v3TransactionByIdRoutes,
  ...v3PrincipalRoutes,
  ...v3StxTransferRoutes,
];

/**
 * What the model answers to a valid request. Deliveries are read once: the same list must not change afterwards. Throws for an
 * endpoint that the model does not have; routeOf tells.
 */
export function modelAnswer(chain: readonly Delivery[] | World, path: string): Answer {
  const found = routeOf(path);
  if (!found) throw new Error(`the model has no endpoint for ${path}`);
  const world = isWorld(chain) ? chain : worldOf(chain);
  return found.route.answer(world, found.params, found.query);
}

/** The endpoint of a request, with what it was asked; undefined for one that the model does not have. */
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
