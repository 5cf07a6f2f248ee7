import type { Route } from '../route.ts';
import { addressTransactionRoutes } from './address-transactions.ts';
import { contractRoutes } from './contracts.ts';
import { delegationRoutes } from './delegations.ts';
import { nameRoutes } from './names.ts';
import { nftMintRoutes } from './nft-mints.ts';
import { poxCycleRoutes } from './pox-cycles.ts';
import { slotHolderRoutes } from './slot-holders.ts';

/** Addresses, contracts, PoX, NFTs, names and burn rewards. */
export const answersB: readonly Route[] = [
  ...addressTransactionRoutes,
  ...contractRoutes,
  ...delegationRoutes,
  ...nameRoutes,
  ...nftMintRoutes,
  ...poxCycleRoutes,
  ...slotHolderRoutes,
];
