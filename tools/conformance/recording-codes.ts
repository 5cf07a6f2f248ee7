/**
 * Routes by the codes that the comparison tool of the recordings reports them under. The tool and the recordings are not part of this
 * repository; nothing but the conformance check uses these codes.
 */
export const ROUTE_OF_CODE: Readonly<Record<string, string>> = {
  E1: 'getNftMetadataV1',
  E2: 'getTransactionsByBlockV2',
  E3: 'getBlockByBurnBlockHashV1',
  E4: 'getBlockV2',
  E5: 'getMempoolFeePrioritiesV2',
  E6: 'getBlocksV2',
  E7: 'getPoxCycleSignersV2',
  E8: 'getPoolDelegationsV1',
  E9: 'getBurnchainRewardSlotHoldersByAddressV1',
  E10: 'getNftMintsV1',
  E11: 'searchByIdV1',
  E12: 'getContractsByTraitV1',
  E13: 'getBurnchainRewardSlotHoldersV1',
  E14: 'getAddressTransactionsV2',
  E15: 'getPoxCycleSignerV2',
  E16: 'getBurnBlockV2',
  E17: 'getContractByIdV1',
  E18: 'getTransactionListV1',
  E19: 'getMempoolTransactionListV1',
  E20: 'getRawTransactionByIdV1',
  E21: 'getNamesOwnedByAddressV1',
  E22: 'getContractEventsByIdV1',
  E23: 'getAddressTransactionEventsV2',
};

/** What the comparison tool reports, by the names of the routes. What is no route of ours keeps its name. */
export const byRoute = <T>(tally: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(tally).map(([code, row]) => [ROUTE_OF_CODE[code] ?? code, row]));
