import { type AbiFunction, findFunction } from '../../base/codec/index.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { CONTRACTS } from './tables.ts';

/** Finds the interface of a contract's function; undefined if unknown. */
export type FunctionOf = (contractId: string, functionName: string) => AbiFunction | undefined;

/**
 * The interfaces of the contracts that these transactions call, as of the application of the block. A contract that the
 * same block deploys must be registered before (see projection.ts).
 */
export function functionsOfContracts(workspace: Workspace, txs: readonly TransactionFacts[]): FunctionOf {
  const called = new Set<string>();
  for (const { transaction } of txs) {
    if (transaction.payload.kind === 'contract_call') called.add(transaction.payload.contractId);
  }
  workspace.load(
    CONTRACTS,
    [...called].map(contractId => ({ contract_id: contractId })),
  );
  return (contractId, functionName) => {
    const text = workspace.get(CONTRACTS, { contract_id: contractId })?.interface;
    return typeof text === 'string' ? findInInterface(text, functionName) : undefined;
  };
}

/** A parsed interface and the functions found in it. The text itself is the key, so no fork can make an entry wrong. */
interface ParsedInterface {
  readonly json: unknown;
  readonly functions: Map<string, AbiFunction | undefined>;
}

const parsed = new Map<string, ParsedInterface>();
const MAX_PARSED = 2000;

export function findInInterface(text: string, functionName: string): AbiFunction | undefined {
  let entry = parsed.get(text);
  if (!entry) {
    entry = { json: JSON.parse(text), functions: new Map() };
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(text, entry);
  }
  if (!entry.functions.has(functionName)) entry.functions.set(functionName, findFunction(entry.json, functionName));
  return entry.functions.get(functionName);
}
