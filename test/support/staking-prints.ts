import { encodeClarityAscii, encodeClarityPrincipal, encodeClarityTuple } from '../../src/codec/index.ts';
import { rawPrint } from './pox-prints.ts';

export const POX5 = 'ST000000000000000000002AMW42H.pox-5';

/** A print of PoX 5 on a testnet, as an event of `/new_block` without its place. */
export const stakingPrint = (topic: string, members: Readonly<Record<string, Uint8Array>>) =>
  rawPrint(encodeClarityTuple({ topic: encodeClarityAscii(topic), ...members }), 'pox-5');

/** The members that name a staker and a signer manager. */
export const stakerOf = (staker: string, manager: string) => ({
  staker: encodeClarityPrincipal(staker),
  signer: encodeClarityPrincipal(manager),
});

/** A lock event, by default of PoX 5; the contract null: of a node before 2.1. */
export const lockEvent = (address: string, amount: number, until: number, contract: string | null = POX5) => ({
  type: 'stx_lock_event',
  stx_lock_event: {
    locked_address: address,
    locked_amount: String(amount),
    unlock_height: String(until),
    ...(contract !== null && { contract_identifier: contract }),
  },
});
