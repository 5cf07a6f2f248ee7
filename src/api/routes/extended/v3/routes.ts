import type { AddRoutes } from '../../context.ts';
import { addBlockV3Routes } from './blocks.ts';
import { addForkRoutes } from './forks.ts';
import { addMempoolV3Routes } from './mempool.ts';
import { addNameV3Routes } from './names.ts';
import { addBalanceChangeRoute } from './principals/principal/balance-changes.ts';
import { addPrincipalBalanceV3Routes } from './principals/principal/balances.ts';
import { addPrincipalMempoolRoute } from './principals/principal/mempool.ts';
import { addPrincipalNoncesRoute } from './principals/principal/nonces.ts';
import { addPrincipalStakingRoutes } from './principals/principal/staking.ts';
import { addPrincipalTransactionRoutes } from './principals/principal/transactions.ts';
import { addPrincipalTransferRoutes } from './principals/principal/transfers.ts';
import { addSearchV3Routes } from './search.ts';
import { addSmartContractV3Routes } from './smart-contracts.ts';
import { addBondMemberRoutes } from './staking/bonds/bond_index.ts';
import { addBondRoutes } from './staking/bonds.ts';
import { addStakingSignerRoutes } from './staking/signers.ts';
import { addStakingRoutes } from './staking.ts';
import { addServerStatusRoute } from './status.ts';
import { addStreamRoutes } from './stream.ts';
import { addFtRoutes } from './tokens/ft.ts';
import { addNftV3Routes } from './tokens/nft.ts';
import { addStxRoutes } from './tokens/stx.ts';
import { addTransactionByIdV3Routes } from './transactions/tx_id.ts';
import { addTransactionV3Routes } from './transactions.ts';

/** Routes of `/extended/v3`, in the order of the OpenAPI document. */
export const EXTENDED_V3_ROUTES: readonly AddRoutes[] = [
  addBlockV3Routes,
  addTransactionV3Routes,
  addStreamRoutes,
  addTransactionByIdV3Routes,
  addMempoolV3Routes,
  addPrincipalTransactionRoutes,
  addPrincipalTransferRoutes,
  addBalanceChangeRoute,
  addPrincipalBalanceV3Routes,
  addPrincipalNoncesRoute,
  addPrincipalMempoolRoute,
  addStxRoutes,
  addFtRoutes,
  addNftV3Routes,
  addSmartContractV3Routes,
  addSearchV3Routes,
  addNameV3Routes,
  addForkRoutes,
  addServerStatusRoute,
  addStakingRoutes,
  addBondRoutes,
  addBondMemberRoutes,
  addStakingSignerRoutes,
  addPrincipalStakingRoutes,
];
