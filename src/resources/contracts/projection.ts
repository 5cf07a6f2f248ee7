import type { Projection, Unit } from '../../indexer/projection.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { fromHex } from '../../lib/hex.ts';
import { CONTRACTS } from './tables.ts';

/** Deployed contracts. Runs before the transactions projection, which shows calls with the names of the interface. */
export const contractsProjection: Projection = {
  name: 'contracts',
  stateTables: [CONTRACTS],
  keptTables: [],
  lists: [],

  async apply(unit: Unit, workspace: Workspace): Promise<void> {
    const deployed = unit.block.txs.flatMap(tx => {
      const { payload, origin } = tx.transaction;
      if (payload.kind !== 'smart_contract' || tx.contractInterface === null) return [];
      return [{ contractId: `${origin.address}.${payload.name}`, txId: tx.txId, contractInterface: tx.contractInterface }];
    });
    await workspace.load(CONTRACTS, deployed.map(({ contractId }) => [contractId]));
    for (const { contractId, txId, contractInterface } of deployed) {
      workspace.put(CONTRACTS, [contractId, fromHex(txId) ?? null, JSON.stringify(contractInterface)]);
    }
  },
};
