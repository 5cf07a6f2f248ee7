import type { Server } from 'node:http';
import { ClientAddresses } from '../../base/net/client-address.ts';
import { limitConnections } from '../../base/net/connections.ts';
import { Ledger } from '../../base/net/ledger.ts';
import { limitPipelining } from '../../base/net/pipelining.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Most connections of one address. */
  readonly maxConnectionsPerAddress: number;
}

/** Requests that one connection may send in one turn: programs of the operator send one at a time. */
const MOST_PIPELINED = 100;

/**
 * Limits the connections of a port without other limits per address, as limitConnections does, and the requests that one turn reads from them. No
 * proxy is trusted: such a port is for programs of the operator.
 * @param onClosed called with the address of a connection that was closed for another one
 */
export function limitPort(
  server: Server,
  { maxConnections: total, maxConnectionsPerAddress: perAddress }: ConnectionLimits,
  onClosed: (address: string) => void = () => {},
): void {
  const ledger = new Ledger(
    { connections: { total, perAddress, replacesOwn: true } },
    { onClosed: (_, address) => onClosed(address) },
  );
  limitConnections(server, ledger, new ClientAddresses());
  limitPipelining(server, MOST_PIPELINED);
}
