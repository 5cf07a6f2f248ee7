import type { Table } from '../../store/database.ts';

/** The contracts of the canonical chain whose deployment succeeded, with the interface the node gave. */
export const CONTRACTS: Table = {
  name: 'contracts',
  columns: { contract_id: 'text', tx_id: 'bytes', interface: 'text?' },
  key: ['contract_id'],
};
