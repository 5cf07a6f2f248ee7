import type { AddRoutes } from '../../context.ts';
import { addPrincipalBalanceRoutes } from './addresses/principal/balances.ts';
import { addAddressRoutes } from './addresses.ts';
import { addBlockTenureRoutes } from './block-tenures.ts';
import { addBlockRoutes } from './blocks.ts';
import { addBurnBlockRoutes } from './burn-blocks.ts';
import { addMempoolRoutes } from './mempool.ts';
import { addPoxRoutes } from './pox.ts';
import { addSmartContractRoutes } from './smart-contracts.ts';

/** Routes of `/extended/v2`, in the order of the OpenAPI document. */
export const EXTENDED_V2_ROUTES: readonly AddRoutes[] = [
  addBlockRoutes,
  addBurnBlockRoutes,
  addBlockTenureRoutes,
  addAddressRoutes,
  addMempoolRoutes,
  addSmartContractRoutes,
  addPoxRoutes,
  addPrincipalBalanceRoutes,
];
