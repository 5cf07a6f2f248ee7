/**
 * Routes by the codes that the comparison tool of the recordings reports them under. The tool and the recordings are not part of this
 * repository; nothing but the conformance check uses these codes.
 */
export const ROUTE_OF_CODE: Readonly<Record<string, string>> = {
  E1: 'getNftMetadata',
  E2: 'getTransactionsByBlock',
  E3: 'getBlockByBurnBlockHash',
  E4: 'getBlock',
  E5: 'getMempoolFeePriorities',
  E6: 'getBlocks',
  E7: 'getPoxCycleSigners',
  E8: 'getPoolDelegations',
  E9: 'getBurnchainRewardSlotHoldersByAddress',
  E10: 'getNftMints',
  E11: 'searchById',
  E12: 'getContractsByTrait',
  E13: 'getBurnchainRewardSlotHolders',
  E14: 'getAddressTransactions',
  E15: 'getPoxCycleSigner',
  E16: 'getBurnBlock',
  E17: 'getContractById',
  E18: 'getTransactionList',
  E19: 'getMempoolTransactionList',
  E20: 'getRawTransactionById',
  E21: 'getNamesOwnedByAddress',
  E22: 'getContractEventsById',
  E23: 'getAddressTransactionEvents',
};

/** What the comparison tool reports, by the names of the routes. What is no route of ours keeps its name. */
export const byRoute = <T>(tally: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(tally).map(([code, row]) => [ROUTE_OF_CODE[code] ?? code, row]));
