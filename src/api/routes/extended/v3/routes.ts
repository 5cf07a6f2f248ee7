import type { AddRoutes } from '../../context.ts';
import { addBlockRoutesV3 } from './blocks.ts';
import { addFaucetRoutesV3 } from './faucets.ts';
import { addForkRoutesV3 } from './forks.ts';
import { addMempoolRoutesV3 } from './mempool.ts';
import { addNameRoutesV3 } from './names.ts';
import { addBalanceChangeRouteV3 } from './principals/principal/balance-changes.ts';
import { addPrincipalBalanceRoutesV3 } from './principals/principal/balances.ts';
import { addPrincipalMempoolRouteV3 } from './principals/principal/mempool.ts';
import { addPrincipalMiningRoutesV3 } from './principals/principal/mining.ts';
import { addPrincipalMovementsRouteV3 } from './principals/principal/movements.ts';
import { addPrincipalNoncesRouteV3 } from './principals/principal/nonces.ts';
import { addPrincipalStakingRoutesV3 } from './principals/principal/staking.ts';
import { addPrincipalTransactionRoutesV3 } from './principals/principal/transactions.ts';
import { addPrincipalTransferRoutesV3 } from './principals/principal/transfers.ts';
import { addSearchRoutesV3 } from './search.ts';
import { addContractLogRoutesV3 } from './smart-contracts/contract_id/logs.ts';
import { addSmartContractRoutesV3 } from './smart-contracts.ts';
import { addBondMemberRoutesV3 } from './staking/bonds/bond_index.ts';
import { addBondRoutesV3 } from './staking/bonds.ts';
import { addStakingCycleRoutesV3 } from './staking/cycles.ts';
import { addStakingSignerRoutesV3 } from './staking/signers.ts';
import { addStakingRoutesV3 } from './staking.ts';
import { addServerStatusRouteV3 } from './status.ts';
import { addStreamRoutesV3 } from './stream.ts';
import { addFtRoutesV3 } from './tokens/ft.ts';
import { addNftRoutesV3 } from './tokens/nft.ts';
import { addStxRoutesV3 } from './tokens/stx.ts';
import { addTransactionByIdRoutesV3 } from './transactions/tx_id.ts';
import { addTransactionRoutesV3 } from './transactions.ts';

/** Routes of `/extended/v3`, in the order of the OpenAPI document. */
export const EXTENDED_ROUTES_V3: readonly AddRoutes[] = [
  addBlockRoutesV3,
  addTransactionRoutesV3,
  addStreamRoutesV3,
  addTransactionByIdRoutesV3,
  addMempoolRoutesV3,
  addPrincipalTransactionRoutesV3,
  addPrincipalTransferRoutesV3,
  addBalanceChangeRouteV3,
  addPrincipalBalanceRoutesV3,
  addPrincipalMovementsRouteV3,
  addPrincipalNoncesRouteV3,
  addPrincipalMempoolRouteV3,
  addPrincipalMiningRoutesV3,
  addStxRoutesV3,
  addFtRoutesV3,
  addNftRoutesV3,
  addSmartContractRoutesV3,
  addContractLogRoutesV3,
  addSearchRoutesV3,
  addNameRoutesV3,
  addForkRoutesV3,
  addServerStatusRouteV3,
  addStakingRoutesV3,
  addBondRoutesV3,
  addBondMemberRoutesV3,
  addStakingCycleRoutesV3,
  addStakingSignerRoutesV3,
  addPrincipalStakingRoutesV3,
  addFaucetRoutesV3,
];
