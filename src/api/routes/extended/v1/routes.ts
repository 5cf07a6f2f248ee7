import type { AddRoutes } from '../../context.ts';
import { addAccountAssetsRoute } from './address/principal/assets.ts';
import { addBalancesRoute } from './address/principal/balances.ts';
import { addAddressMempoolRoutes } from './address/principal/mempool.ts';
import { addNonceRoutes } from './address/principal/nonces.ts';
import { addStxBalanceRoute } from './address/principal/stx.ts';
import { addAccountInboundRoute } from './address/principal/stx_inbound.ts';
import { addAccountTransactionsRoute } from './address/principal/transactions.ts';
import { addAccountTransfersRoute } from './address/principal/transactions_with_transfers.ts';
import { addTransactionWithTransfersRoute } from './address/principal/tx_id.ts';
import { addBlockV1Routes } from './block.ts';
import { addBurnchainRoutes } from './burnchain.ts';
import { addContractRoutes } from './contract.ts';
import { addFaucetRoutes } from './faucets.ts';
import { addFeeRateRoute } from './fee_rate.ts';
import { addInfoRoutes } from './info.ts';
import { addMicroblockRoutes } from './microblock.ts';
import { addPoxV1Routes } from './pox.ts';
import { addSearchRoutes } from './search.ts';
import { addStxSupplyRoutes } from './stx_supply.ts';
import { addFungibleTokenRoutes } from './tokens/ft.ts';
import { addNftRoutes } from './tokens/nft.ts';
import { addTokenRoutes } from './tokens.ts';
import { addEventRoute } from './tx/events.ts';
import { addMempoolTransactionRoutes } from './tx/mempool.ts';
import { addTransactionsByIdsRoute } from './tx/multiple.ts';
import { addTransactionByIdRoutes } from './tx/tx_id.ts';
import { addTransactionV1Routes } from './tx.ts';

/** Routes of `/extended/v1`, in the order of the OpenAPI document. */
export const EXTENDED_V1_ROUTES: readonly AddRoutes[] = [
  addBlockV1Routes,
  addTransactionV1Routes,
  addMempoolTransactionRoutes,
  addEventRoute,
  addTransactionsByIdsRoute,
  addTransactionByIdRoutes,
  addNonceRoutes,
  addAddressMempoolRoutes,
  addAccountTransactionsRoute,
  addAccountTransfersRoute,
  addTransactionWithTransfersRoute,
  addAccountAssetsRoute,
  addAccountInboundRoute,
  addMicroblockRoutes,
  addContractRoutes,
  addTokenRoutes,
  addPoxV1Routes,
  addBurnchainRoutes,
  addInfoRoutes,
  addFeeRateRoute,
  addStxSupplyRoutes,
  addSearchRoutes,
  addStxBalanceRoute,
  addBalancesRoute,
  addFungibleTokenRoutes,
  addNftRoutes,
  (api, { faucet }) => addFaucetRoutes(api, faucet),
];
