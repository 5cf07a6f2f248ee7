import type { AddRoutes } from '../../context.ts';
import { addAccountAssetsRouteV1 } from './address/principal/assets.ts';
import { addBalancesRouteV1 } from './address/principal/balances.ts';
import { addAddressMempoolRoutesV1 } from './address/principal/mempool.ts';
import { addNonceRoutesV1 } from './address/principal/nonces.ts';
import { addStxBalanceRouteV1 } from './address/principal/stx.ts';
import { addAccountInboundRouteV1 } from './address/principal/stx_inbound.ts';
import { addAccountTransactionsRouteV1 } from './address/principal/transactions.ts';
import { addAccountTransfersRouteV1 } from './address/principal/transactions_with_transfers.ts';
import { addTransactionWithTransfersRouteV1 } from './address/principal/tx_id.ts';
import { addBlockRoutesV1 } from './block.ts';
import { addBurnchainRoutesV1 } from './burnchain.ts';
import { addContractRoutesV1 } from './contract.ts';
import { addFaucetRoutesV1 } from './faucets.ts';
import { addFeeRateRouteV1 } from './fee_rate.ts';
import { addInfoRoutesV1 } from './info.ts';
import { addMicroblockRoutesV1 } from './microblock.ts';
import { addPoxRoutesV1 } from './pox.ts';
import { addSearchRoutesV1 } from './search.ts';
import { addStxSupplyRoutesV1 } from './stx_supply.ts';
import { addFungibleTokenRoutesV1 } from './tokens/ft.ts';
import { addNftRoutesV1 } from './tokens/nft.ts';
import { addTokenRoutesV1 } from './tokens.ts';
import { addEventRouteV1 } from './tx/events.ts';
import { addMempoolTransactionRoutesV1 } from './tx/mempool.ts';
import { addTransactionsByIdsRouteV1 } from './tx/multiple.ts';
import { addTransactionByIdRoutesV1 } from './tx/tx_id.ts';
import { addTransactionRoutesV1 } from './tx.ts';

/** Routes of `/extended/v1`, in the order of the OpenAPI document. */
export const EXTENDED_ROUTES_V1: readonly AddRoutes[] = [
  addBlockRoutesV1,
  addTransactionRoutesV1,
  addMempoolTransactionRoutesV1,
  addEventRouteV1,
  addTransactionsByIdsRouteV1,
  addTransactionByIdRoutesV1,
  addNonceRoutesV1,
  addAddressMempoolRoutesV1,
  addAccountTransactionsRouteV1,
  addAccountTransfersRouteV1,
  addTransactionWithTransfersRouteV1,
  addAccountAssetsRouteV1,
  addAccountInboundRouteV1,
  addMicroblockRoutesV1,
  addContractRoutesV1,
  addTokenRoutesV1,
  addPoxRoutesV1,
  addBurnchainRoutesV1,
  addInfoRoutesV1,
  addFeeRateRouteV1,
  addStxSupplyRoutesV1,
  addSearchRoutesV1,
  addStxBalanceRouteV1,
  addBalancesRouteV1,
  addFungibleTokenRoutesV1,
  addNftRoutesV1,
  (api, { faucet }) => addFaucetRoutesV1(api, faucet),
];
