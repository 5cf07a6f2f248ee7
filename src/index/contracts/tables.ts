import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/**
 * The canonical deployment of each contract: the successful one, or else the newest attempt. The transactions projection looks up
 * argument names here, and getContractByIdV1 the row of DEPLOYMENTS to show.
 */
export const CONTRACTS = table({
  name: 'contracts',
  columns: {
    contract_id: 'text',
    tx_id: 'bytes',
    /** JSON text as getContractByIdV1 serves it; null while no deployment succeeded. */
    interface: 'text?',
    /** Index block hash of the block; no bytes while only a microblock has the deployment. */
    block: 'bytes',
  },
  key: ['contract_id'],
});

/** Every deployment ever seen, including failed and orphaned ones: undo does not change these rows (getContractByIdV1). */
export const DEPLOYMENTS = table({
  name: 'deployments',
  columns: {
    contract_id: 'text',
    /** As in CONTRACTS. */
    block: 'bytes',
    tx_id: 'bytes',
    height: 'int',
    /** 1 if the deployment succeeded. */
    has_interface: 'int',
    /** The contract as getContractByIdV1 serves it; `canonical` is always true in it. */
    record: 'text',
  },
  key: ['contract_id', 'block', 'tx_id'],
});

/** Canonical contracts whose interface lists functions, in the order of deployment (getContractsByTraitV1). */
export const DEPLOYED = table({
  name: 'deployed',
  columns: {
    seq: 'int',
    /** Height of the block. */
    height: 'int',
    contract_id: 'text',
    tx_id: 'bytes',
    /** Keys in FUNCTION_SHAPES of all its functions, joined. */
    shapes: 'bytes',
  },
  key: ['seq'],
});

export const ALL_DEPLOYED = listKind({
  code: 30,
  chain: 'stacks',
  entries: DEPLOYED,
  named: false,
  clock: { of: 'height', column: 'height' },
});

/** Contracts by the name of a function, and by source: positions in DEPLOYED (getContractsByTraitV1). */
export const CONTRACT_FUNCTIONS = table({
  name: 'contract_functions',
  columns: { list: 'int', seq: 'int', contract: 'int' },
  key: ['list', 'seq'],
});

/** By the name of the function. */
export const CONTRACTS_BY_FUNCTION = listKind({
  code: 31,
  chain: 'stacks',
  entries: CONTRACT_FUNCTIONS,
  named: true,
  clock: { of: 'list', column: 'contract', list: ALL_DEPLOYED },
});

/** By the hash of the source: contracts that share theirs (getSmartContractTwinsV3). */
export const CONTRACTS_BY_SOURCE = listKind({
  code: 33,
  chain: 'stacks',
  entries: CONTRACT_FUNCTIONS,
  named: true,
  clock: { of: 'list', column: 'contract', list: ALL_DEPLOYED },
});

/**
 * The properties of a function that traits compare, as JSON. Most functions of most contracts have the same shape as one of another
 * contract.
 */
export const FUNCTION_SHAPES = table({
  name: 'function_shapes',
  columns: { key: 'bytes', json: 'text' },
  key: ['key'],
});

/** Prints of contracts, by contract (getContractEventsByIdV1). */
export const CONTRACT_LOGS = table({
  name: 'contract_logs',
  columns: {
    list: 'int',
    seq: 'int',
    /** Where its transaction is in txs. */
    tx: 'int',
    event_index: 'int',
    /** As versions 1 and 2 serve it, packed (packPrint). */
    record: 'text',
  },
  key: ['list', 'seq'],
});

/** By the contract that printed. */
export const LOGS_BY_CONTRACT = listKind({
  code: 32,
  chain: 'stacks',
  entries: CONTRACT_LOGS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Texts by which searchV3 finds contracts and assets (search-texts.ts). */
export const SEARCH_TEXTS = table({
  name: 'search_texts',
  columns: {
    list: 'int',
    seq: 'int',
    /** A whole id; or the end of a name from `place` on, in lower case. */
    text: 'text',
    /** Characters of the name before the text. */
    place: 'int',
    /** Minus the number of the id in the list of whole ids: among equal texts the newest comes first. */
    newest: 'int',
  },
  key: ['list', 'seq'],
  readIndexes: [['list', 'text', 'place', 'newest']],
});

/** Texts of canonical contracts, in the order of deployment, by TextPart. */
export const CONTRACT_TEXTS = listKind({
  code: 35,
  chain: 'stacks',
  entries: SEARCH_TEXTS,
  named: true,
  clock: { of: 'none', reason: 'its entries have no place in the chain' },
});

/** Texts of the assets in ASSETS, by TextPart, in the order in which events first named them. */
export const ASSET_TEXTS = listKind({
  code: 36,
  chain: 'stacks',
  entries: SEARCH_TEXTS,
  named: true,
  clock: { of: 'none', reason: 'its entries have no place in the chain' },
});

/** Assets that an event of a canonical transaction moved. */
export const ASSETS = table({
  name: 'assets',
  columns: {
    /** Asset identifier. */
    asset: 'text',
    /** `ft` or `nft`. */
    kind: 'text',
  },
  key: ['asset'],
});
