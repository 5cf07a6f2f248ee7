import { bootAddress } from '../../ingest/chain/network.ts';

const NAMES = ['pox', 'pox-2', 'pox-3', 'pox-4', 'pox-5', 'pox-6', 'pox-7', 'pox-8', 'pox-9'];

const CONTRACTS: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(name =>
    (['mainnet', 'testnet'] as const).map(network => [`${bootAddress(network)}.${name}`, name] as const),
  ),
);

/**
 * The name of a PoX contract, such as `pox-4`; undefined for any other contract. The boot address of either network counts on
 * any chain (docs/spec/pox.md#pox-contracts).
 */
export const poxContract = (contractId: string): string | undefined => CONTRACTS.get(contractId);
