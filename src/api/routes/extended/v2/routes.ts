import type { AddRoutes } from '../../context.ts';
import { addPrincipalBalanceRoutesV2 } from './addresses/principal/balances.ts';
import { addAddressRoutesV2 } from './addresses.ts';
import { addBlockTenureRoutesV2 } from './block-tenures.ts';
import { addBlockRoutesV2 } from './blocks.ts';
import { addBurnBlockRoutesV2 } from './burn-blocks.ts';
import { addMempoolRoutesV2 } from './mempool.ts';
import { addPoxRoutesV2 } from './pox.ts';
import { addSmartContractRoutesV2 } from './smart-contracts.ts';

/** Routes of `/extended/v2`, in the order of the OpenAPI document. */
export const EXTENDED_ROUTES_V2: readonly AddRoutes[] = [
  addBlockRoutesV2,
  addBurnBlockRoutesV2,
  addBlockTenureRoutesV2,
  addAddressRoutesV2,
  addMempoolRoutesV2,
  addSmartContractRoutesV2,
  addPoxRoutesV2,
  addPrincipalBalanceRoutesV2,
];
