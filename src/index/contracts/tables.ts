import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/**
 * The canonical deployment of each contract: the one that gave it an interface, or failing that the newest attempt. Here
 * transactions find the names of what they call, and getContractByIdV1 the row of DEPLOYMENTS to show.
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

/** Every deployment ever seen, failed and orphaned ones too: no undo takes these rows back (getContractByIdV1). */
export const DEPLOYMENTS = table({
  name: 'deployments',
  columns: {
    contract_id: 'text',
    /** As in CONTRACTS. */
    block: 'bytes',
    tx_id: 'bytes',
    height: 'int',
    /** 1 when the deployment succeeded. */
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
    /** Of the block. */
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

/** Which contracts have a function of this name, and which a source: positions in DEPLOYED (getContractsByTraitV1). */
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
 * The properties of a function that traits require, as JSON. Most functions of most contracts share theirs with those of other
 * contracts.
 */
export const FUNCTION_SHAPES = table({
  name: 'function_shapes',
  columns: { key: 'bytes', json: 'text' },
  key: ['key'],
});

/** What contracts printed, by contract (getContractEventsByIdV1). */
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
    /** Minus the number of the id in the list of whole ids: of equal texts the newest comes first. */
    newest: 'int',
  },
  key: ['list', 'seq'],
  readIndexes: [['list', 'text', 'place', 'newest']],
});

/** Of canonical contracts, in the order of deployment: by TextPart. */
export const CONTRACT_TEXTS = listKind({
  code: 35,
  chain: 'stacks',
  entries: SEARCH_TEXTS,
  named: true,
  clock: { of: 'none', reason: 'its entries have no place in the chain' },
});

/** Of the assets in ASSETS, likewise in the order in which events named them first. */
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
