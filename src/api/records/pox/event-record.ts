import type { PoxEvent } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredPoxEvent, type Stored } from '../../../index/pox/stored.ts';
import type { POX_EVENTS } from '../../../index/pox/tables.ts';

/** An event whose print describes an operation of PoX. */
export type PoxEventRow = RowOf<typeof POX_EVENTS, 'height' | 'tx_id' | 'tx_index' | 'event_index'> & {
  readonly event: string;
};

/** As getPoxEventsV1 serves it, in emitted order (docs/spec/pox.md#events). */
export function poxEventV1({ height, tx_id, tx_index, event_index, event }: PoxEventRow): string {
  const { name, stacker, locked, balance, burnchainUnlockHeight, poxAddr, poxAddrRaw, data } =
    readStoredPoxEvent(event);
  return JSON.stringify({
    block_height: height,
    tx_id: toHex(tx_id),
    tx_index,
    event_index,
    stacker,
    locked,
    balance,
    burnchain_unlock_height: burnchainUnlockHeight,
    pox_addr: poxAddr,
    pox_addr_raw: poxAddrRaw === '' ? '0x' : poxAddrRaw,
    name,
    data: dataRecord({ name, data } as Operation),
  });
}

/** The name of an operation with the members that belong to it. */
type Operation = {
  [E in PoxEvent as E['name']]: { readonly name: E['name']; readonly data: Stored<E['data']> };
}[PoxEvent['name']];

function dataRecord({ name, data }: Operation) {
  switch (name) {
    case 'handle-unlock':
      return { first_cycle_locked: data.firstCycleLocked, first_unlocked_cycle: data.firstUnlockedCycle };
    case 'stack-stx':
      return { ...lock(data), signer_key: data.signerKey, ...cycles(data) };
    case 'stack-increase':
      return { ...increase(data), signer_key: data.signerKey, ...cycles(data) };
    case 'stack-extend':
      return {
        extend_count: data.extendCount,
        unlock_burn_height: data.unlockBurnHeight,
        signer_key: data.signerKey,
        ...cycles(data),
      };
    case 'delegate-stx':
      return {
        amount_ustx: data.amountUstx,
        delegate_to: data.delegateTo,
        ...(data.unlockBurnHeight !== null && { unlock_burn_height: data.unlockBurnHeight }),
        ...cycles(data),
      };
    case 'revoke-delegate-stx':
      return { delegate_to: data.delegateTo, ...cycles(data) };
    case 'delegate-stack-stx':
      return { ...lock(data), delegator: data.delegator, ...cycles(data) };
    case 'delegate-stack-increase':
      return { ...increase(data), delegator: data.delegator, ...cycles(data) };
    case 'delegate-stack-extend':
      return {
        unlock_burn_height: data.unlockBurnHeight,
        extend_count: data.extendCount,
        delegator: data.delegator,
        ...cycles(data),
      };
    case 'stack-aggregation-commit':
    case 'stack-aggregation-commit-indexed':
      return { ...aggregation(data), signer_key: data.signerKey, ...cycles(data) };
    case 'stack-aggregation-increase':
      return { ...aggregation(data), ...cycles(data) };
    default:
      return name satisfies never;
  }
}

type DataOf<Name extends PoxEvent['name']> = Extract<Operation, { name: Name }>['data'];

const lock = (data: Omit<DataOf<'stack-stx'>, 'signerKey'>) => ({
  lock_amount: data.lockAmount,
  lock_period: data.lockPeriod,
  start_burn_height: data.startBurnHeight,
  unlock_burn_height: data.unlockBurnHeight,
});

const increase = (data: Pick<DataOf<'stack-increase'>, 'increaseBy' | 'totalLocked'>) => ({
  increase_by: data.increaseBy,
  total_locked: data.totalLocked,
});

const aggregation = (data: Pick<DataOf<'stack-aggregation-increase'>, 'rewardCycle' | 'amountUstx'>) => ({
  reward_cycle: data.rewardCycle,
  amount_ustx: data.amountUstx,
});

const cycles = (data: Pick<DataOf<'revoke-delegate-stx'>, 'endCycleId' | 'startCycleId'>) => ({
  end_cycle_id: data.endCycleId,
  start_cycle_id: data.startCycleId,
});
