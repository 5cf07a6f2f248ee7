/**
 * Types of the API's records, derived from the schemas that the routes publish, for code of this program that requests them. If a member is removed from a
 * schema, code that reads it no longer compiles.
 */
import type { Static, TSchema } from 'typebox';
import type { ClarityValueSchema, pageOf } from '../http/schema.ts';
import type { cursorPageOf } from '../paging/cursor-page.ts';
import type { AddressTransactionSchemaV2, StxBalanceSchemaV1 } from '../records/addresses/schema.ts';
import type { StxTransferSchemaV3 } from '../records/addresses/schema-v3.ts';
import type { AverageBlockTimesSchemaV2, BlockSchemaV2 } from '../records/blocks/schema.ts';
import type {
  BurnBlockSchemaV2,
  PoxTransactionSchemaV2,
  RewardSchemaV1,
  RewardSlotSchemaV1,
  RewardTotalSchemaV1,
} from '../records/burnchain/schema.ts';
import type { ContractSchemaV1 } from '../records/contracts/schema.ts';
import type { LogTopicSchemaV3 } from '../records/events/contract-logs-v3.ts';
import type { FtTransferSchemaV3 } from '../records/events/ft-transfers.ts';
import type { FeeReportSchemaV2 } from '../records/mempool/schema.ts';
import type { NameInfoSchemaV1, NamespacesSchemaV1, NamesSchemaV1 } from '../records/names/schema.ts';
import type { CollectionSchemaV3, ItemSchemaV3, MintSchemaV1, TokenEventSchemaV1 } from '../records/nft/schema.ts';
import type { CycleSchemaV2, SignerSchemaV2, StackerSchemaV2 } from '../records/pox/schema.ts';
import type { NothingFoundSchemaV1, SearchSchemaV1 } from '../records/search/schema.ts';
import type { SearchResultsSchemaV3 } from '../records/search/schema-v3.ts';
import type {
  BondSummarySchemaV3,
  CycleSignerSchemaV3,
  ManagerSchemaV3,
  RegistrationSummarySchemaV3,
  SignedCycleSchemaV3,
  SignerStakerSchemaV3,
  StakingCycleSchemaV3,
  StakingOverviewSchemaV3,
  StakingSummarySchemaV3,
} from '../records/staking/schema.ts';
import type {
  FoundTokenSchema,
  FtBasicMetadataSchema,
  MetadataStatusSchema,
  NftMetadataSchema,
} from '../records/token-metadata/schema.ts';
import type {
  AnyTransactionSchemaV1,
  ContractLogSchemaV1,
  EventSchemaV1,
  PostConditionSchema,
} from '../records/transactions/schema.ts';
import type { AuthorisationSchemaV3 } from '../records/transactions/schema-v3.ts';
import type { AccountBalanceSchemaV1 } from './extended/v1/address/principal/balances.ts';
import type { HoldersPageSchemaV1 } from './extended/v1/tokens/ft.ts';
import type { BlockCellsListSchemaV3, BlockTotalsSchemaV3, OrphansSchemaV3 } from './extended/v3/blocks.ts';
import type { ForkSchemaV3, WholeForkSchemaV3 } from './extended/v3/forks.ts';
import type { MempoolBandsSchemaV3, MempoolDropSchemaV3, MempoolPositionSchemaV3 } from './extended/v3/mempool.ts';
import type { NamesOfPrincipalsSchemaV3 } from './extended/v3/names.ts';
import type {
  FtPositionSchemaV3,
  NftPositionSchemaV3,
  StxHistorySchemaV3,
  StxPositionSchemaV3,
} from './extended/v3/principals/principal/balances.ts';
import type { MovementsPageV3 } from './extended/v3/principals/principal/movements.ts';
import type { PrincipalNoncesSchemaV3 } from './extended/v3/principals/principal/nonces.ts';
import type { ContractActivitySchemaV3, SmartContractSchemaV3, TwinSchemaV3 } from './extended/v3/smart-contracts.ts';
import type { ServerStatusSchemaV3 } from './extended/v3/status.ts';
import type { FtSupplyHistorySchemaV3, FtTotalsSchemaV3 } from './extended/v3/tokens/ft.ts';
import type { StxSupplySchemaV3 } from './extended/v3/tokens/stx.ts';
import type { StatusSchema } from './extended.ts';

type KeysOf<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** A record with several variants: it has the members of all of them, and members that only some variants have are optional. */
export type Merged<T> = Pick<T, keyof T> & { [K in Exclude<KeysOf<T>, keyof T>]?: MemberOf<T, K> };

/** A page of a list of versions 1 and 2. */
export type OffsetPage<Item> = Omit<Static<ReturnType<typeof pageOf<TSchema>>>, 'results'> & {
  readonly results: readonly Item[];
};
/** A page of a list of version 3. */
export type PageByCursor<Item> = Omit<Static<ReturnType<typeof cursorPageOf<TSchema>>>, 'results'> & {
  readonly results: readonly Item[];
};

export type Status = Static<typeof StatusSchema>;
export type ServerStatus = Static<typeof ServerStatusSchemaV3>;
export type MetadataStatus = Static<typeof MetadataStatusSchema>;

export type Block = Static<typeof BlockSchemaV2>;
export type CellsOfBlocks = Static<typeof BlockCellsListSchemaV3>;
export type BlockCells = CellsOfBlocks['results'][number];
export type Orphans = Static<typeof OrphansSchemaV3>;
export type BlockTotals = Static<typeof BlockTotalsSchemaV3>;
export type AverageBlockTimes = Static<typeof AverageBlockTimesSchemaV2>;
export type BurnBlock = Static<typeof BurnBlockSchemaV2>;
export type Reward = Static<typeof RewardSchemaV1>;
export type RewardSlot = Static<typeof RewardSlotSchemaV1>;
export type RewardTotal = Static<typeof RewardTotalSchemaV1>;
export type RewardPayment = Static<typeof PoxTransactionSchemaV2>;
export type Fork = Static<typeof ForkSchemaV3>;
export type WholeFork = Static<typeof WholeForkSchemaV3>;
export type LostBlock = WholeFork['blocks'][number];
export type LostTransaction = WholeFork['transactions'][number];

/** Mined, waiting or dropped. */
export type Transaction = Merged<Static<typeof AnyTransactionSchemaV1>>;
export type EventOfTransaction = Static<typeof EventSchemaV1>;
export type ContractLog = Static<typeof ContractLogSchemaV1>;
export type ValueRecord = Static<typeof ClarityValueSchema>;
export type CallArgument = NonNullable<NonNullable<Transaction['contract_call']>['function_args']>[number];
export type AssetMove = Merged<Extract<EventOfTransaction, { asset: unknown }>['asset']>;
export type ConditionRecord = Merged<Static<typeof PostConditionSchema>>;
/** How a transaction is signed, in its record of version 3. */
export type Authorisation = Static<typeof AuthorisationSchemaV3>;
export type MempoolPosition = Static<typeof MempoolPositionSchemaV3>;
export type MempoolDrop = Static<typeof MempoolDropSchemaV3>;
export type MempoolFees = Static<typeof FeeReportSchemaV2>;
export type TypeOfFee = Exclude<keyof MempoolFees, 'all'>;
export type MempoolBands = Static<typeof MempoolBandsSchemaV3>;
export type FeesOfBand = MempoolBands['bands'][number];

export type HistoryRow = Omit<Static<typeof AddressTransactionSchemaV2>, 'tx'> & { readonly tx: Transaction };
export type StxBalance = Static<typeof StxBalanceSchemaV1>;
export type AccountBalance = Static<typeof AccountBalanceSchemaV1>;
export type StxPosition = Static<typeof StxPositionSchemaV3>;
export type StxSupply = Static<typeof StxSupplySchemaV3>;
export type StxHistory = Static<typeof StxHistorySchemaV3>;
export type StxTransfer = Static<typeof StxTransferSchemaV3>;
export type MovementsOfPrincipal = Static<typeof MovementsPageV3>;
export type MovementRow = MovementsOfPrincipal['results'][number];
export type FtPosition = Static<typeof FtPositionSchemaV3>;
export type NftPosition = Static<typeof NftPositionSchemaV3>;
export type NoncesOfPrincipal = Static<typeof PrincipalNoncesSchemaV3>;

export type Contract = Static<typeof ContractSchemaV1>;
export type SmartContract = Static<typeof SmartContractSchemaV3>;
export type LogTopic = Static<typeof LogTopicSchemaV3>;
export type Twin = Static<typeof TwinSchemaV3>;
export type ContractActivity = Static<typeof ContractActivitySchemaV3>;

/** A token of any standard, from a request for several tokens. */
export type TokenOfSearch = Static<typeof FoundTokenSchema>;
export type FungibleToken = Static<typeof FtBasicMetadataSchema>;
export type NftMetadata = Static<typeof NftMetadataSchema>;
export type Holders = Static<typeof HoldersPageSchemaV1>;
export type FtTotals = Static<typeof FtTotalsSchemaV3>;
export type FtSupplyHistory = Static<typeof FtSupplyHistorySchemaV3>;
export type FtTransfer = Static<typeof FtTransferSchemaV3>;
export type NftCollection = Static<typeof CollectionSchemaV3>;
export type NftItem = Static<typeof ItemSchemaV3>;
export type MintRecord = Static<typeof MintSchemaV1>;
export type NftEventRecord = Static<typeof TokenEventSchemaV1>;

export type NameInfo = Merged<Static<typeof NameInfoSchemaV1>>;
export type Names = Static<typeof NamesSchemaV1>;
export type Namespaces = Static<typeof NamespacesSchemaV1>;
export type NamesOfPrincipals = Static<typeof NamesOfPrincipalsSchemaV3>;

export type PoxCycle = Static<typeof CycleSchemaV2>;
export type PoxSigner = Static<typeof SignerSchemaV2>;
export type Stacker = Static<typeof StackerSchemaV2>;
export type StakingCycle = Static<typeof StakingCycleSchemaV3>;
export type HeightsOfCycle = NonNullable<SignedCycle['heights']>;
export type StakingOverview = Static<typeof StakingOverviewSchemaV3>;
export type StakingSummary = Static<typeof StakingSummarySchemaV3>;
export type BondRecord = Static<typeof BondSummarySchemaV3>;
export type Registration = Static<typeof RegistrationSummarySchemaV3>;
export type CycleSigner = Static<typeof CycleSignerSchemaV3>;
export type SignedCycle = Static<typeof SignedCycleSchemaV3>;
export type Manager = Static<typeof ManagerSchemaV3>;
export type SignerStaker = Static<typeof SignerStakerSchemaV3>;

export type SearchResult = Static<typeof SearchSchemaV1> | Static<typeof NothingFoundSchemaV1>;
export type SearchHits = Static<typeof SearchResultsSchemaV3>;
