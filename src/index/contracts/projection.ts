import { hexBytes } from '../../base/lib/hex.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { contractRecord, type Deployment, readDeployment, sourceName } from './deployment.ts';
import { appendSearchTexts, TEXT_PARTS } from './search-texts.ts';
import {
  ALL_DEPLOYED,
  CONTRACT_TEXTS,
  CONTRACTS,
  CONTRACTS_BY_FUNCTION,
  CONTRACTS_BY_SOURCE,
  DEPLOYMENTS,
  FUNCTION_SHAPES,
} from './tables.ts';
import { type FunctionShape, functionShapes } from './trait.ts';

/**
 * Deployed contracts (getContractsByTraitV1, getContractByIdV1). Runs before the transactions projection, which takes the argument
 * names of calls from the interface.
 */
export const contractsProjection: Projection = {
  name: 'contracts',
  stateTables: [CONTRACTS],
  keptTables: [DEPLOYMENTS, FUNCTION_SHAPES],
  lists: [ALL_DEPLOYED, CONTRACTS_BY_FUNCTION, CONTRACTS_BY_SOURCE, CONTRACT_TEXTS],

  prepare(block: BlockFacts, workspace: Workspace) {
    const deployments = deploymentsOf(block);
    if (deployments.length === 0) return undefined;
    const shapes = new Map(deployments.map(deployment => [deployment, functionShapes(deployment.contractInterface)]));
    const names = [...shapes.values()].flatMap(own => own?.map(({ name }) => name) ?? []);
    workspace.load(
      CONTRACTS,
      deployments.map(({ contractId }) => ({ contract_id: contractId })),
    );
    workspace.loadLists(ALL_DEPLOYED, ['']);
    workspace.loadLists(CONTRACTS_BY_FUNCTION, new Set(names));
    workspace.loadLists(CONTRACTS_BY_SOURCE, new Set(deployments.map(({ source }) => sourceName(source))));
    workspace.loadLists(CONTRACT_TEXTS, TEXT_PARTS);
    return () => {
      // Deployments of the boot block and of microblocks become part of a block only here.
      keep(deployments, block, workspace);
      for (const deployment of deployments) {
        const { contractId, txId, interfaceText } = deployment;
        // A failed attempt does not hide an existing contract.
        const isDeployed = hasInterface(workspace, contractId);
        if (interfaceText === null && isDeployed) continue;
        if (interfaceText !== null && !isDeployed) appendSearchTexts(CONTRACT_TEXTS, contractId, workspace);
        workspace.put(CONTRACTS, {
          contract_id: contractId,
          tx_id: hexBytes(txId),
          interface: interfaceText,
          block: hexBytes(block.indexBlockHash),
        });
        const functions = shapes.get(deployment);
        if (functions) addToLists(deployment, functions, block.height, workspace);
      }
    };
  },

  hooks: ({ workspace }) => ({
    // Deployments of the boot block wait for block 1.
    blockArrived({ facts }) {
      if (facts.height > 0) keep(deploymentsOf(facts), facts, workspace);
    },
  }),
};

const deploymentsOf = (block: Pick<BlockFacts, 'txs'>): Deployment[] =>
  block.txs.map(readDeployment).filter(deployment => deployment !== undefined);

const hasInterface = (workspace: Workspace, contractId: string): boolean =>
  typeof workspace.get(CONTRACTS, { contract_id: contractId })?.interface === 'string';

function addToLists(
  { contractId, txId, source }: Deployment,
  functions: readonly FunctionShape[],
  height: number,
  workspace: Workspace,
): void {
  const shapes = Buffer.concat(functions.map(({ key }) => key));
  const contract = workspace.append(ALL_DEPLOYED, '', {
    height,
    contract_id: contractId,
    tx_id: hexBytes(txId),
    shapes,
  });
  workspace.append(CONTRACTS_BY_SOURCE, sourceName(source), { contract });
  for (const { name, key, json } of functions) {
    workspace.append(CONTRACTS_BY_FUNCTION, name, { contract });
    workspace.keep(FUNCTION_SHAPES, { key, json });
  }
}

/** Keeps the deployments of a block, canonical or not. */
function keep(deployments: readonly Deployment[], { height, indexBlockHash }: BlockFacts, workspace: Workspace): void {
  for (const deployment of deployments) {
    const { contractId, txId, interfaceText } = deployment;
    workspace.keep(DEPLOYMENTS, {
      contract_id: contractId,
      block: hexBytes(indexBlockHash),
      tx_id: hexBytes(txId),
      height,
      has_interface: interfaceText === null ? 0 : 1,
      record: JSON.stringify(contractRecord(deployment, height)),
    });
  }
}
