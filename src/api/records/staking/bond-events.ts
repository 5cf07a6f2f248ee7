/** Events of a bond in the form of version 3 (docs/spec/staking.md#events-of-a-bond). */
import { fromHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { StakingPrint } from '../../../index/pox/prints.ts';
import { type BondEvent, bondEventOf, calculationOf } from '../../../index/staking/bond-events.ts';
import { type BOND_EVENTS, EVENTS_OF_BOND } from '../../../index/staking/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import type { CursorPage, CursorQuery } from '../../paging/cursor-page.ts';
import { pageOfEvents } from '../../paging/event-lists.ts';
import { eventsNumbered } from '../transactions/events.ts';
import { transactionsAt } from '../transactions/positions-v3.ts';
import { type BondSchedules, type BondTerm, bondSchedulesOf, type ScheduledChain } from './schedule.ts';

type EventRow = RowOf<typeof BOND_EVENTS, 'tx' | 'event_index' | 'calculation'>;

/** A page of the events of a bond, the newest first: a seek. */
export const pageOfBondEvents = (queries: Queries, bond: number, query: CursorQuery): Promise<CursorPage<EventRow>> =>
  pageOfEvents<EventRow>(queries, EVENTS_OF_BOND, String(bond), query, ', calculation');

/** The events as they are served, in the order of the rows. */
export async function bondEventsV3(queries: Queries, chain: ScheduledChain, bond: number, rows: readonly EventRow[]) {
  const calculations = rows.flatMap(({ tx, calculation }) =>
    calculation === null ? [] : { tx, event_index: calculation },
  );
  const eventAt = await eventsNumbered(queries, [...rows, ...calculations]);
  const transactions = await transactionsAt(queries, new Set(rows.map(({ tx }) => tx)));
  const read = rows.flatMap(row => {
    const event = eventOf(eventAt(row.tx, row.event_index));
    const transaction = transactions.get(row.tx);
    return event && transaction ? [{ ...row, event, transaction }] : [];
  });
  const scheduleOf = await bondSchedulesOf(
    queries,
    chain,
    read.flatMap(({ event }) => (event.name === 'setup-bond' ? termOf(event) : [])),
  );
  return read.map(({ tx, event_index, calculation, event, transaction: { tx_id, block, bitcoin_block } }) => ({
    name: event.name,
    bond_index: bond,
    transaction: { tx_id, event_index },
    block,
    bitcoin_block,
    data: dataV3(event, scheduleOf, calculation === null ? undefined : printOf(eventAt(tx, calculation))),
  }));
}

const printOf = (log: EventFacts | undefined): StakingPrint | undefined =>
  log?.kind === 'log' ? StakingPrint.read(fromHex(log.value) ?? new Uint8Array()) : undefined;

function eventOf(log: EventFacts | undefined): BondEvent | undefined {
  const print = printOf(log);
  return print && bondEventOf(print)?.event;
}

const termOf = ({ setup }: Extract<BondEvent, { name: 'setup-bond' }>): BondTerm => ({
  start_height: setup.startHeight,
  first_cycle: setup.firstCycle,
  unlock_height: setup.unlockHeight,
  unlock_cycle: setup.unlockCycle,
});

/** @param calculation the print that calculated the rewards of a distribution */
function dataV3(event: BondEvent, scheduleOf: BondSchedules, calculation: StakingPrint | undefined) {
  switch (event.name) {
    case 'setup-bond': {
      const { targetRate, stxValueRatio, minUstxRatio } = event.setup;
      return {
        parameters: {
          target_rate_bps: Number(targetRate),
          stx_value_ratio: Number(stxValueRatio),
          minimum_stx_ratio: Number(minUstxRatio),
        },
        early_unlock_bytes: event.earlyUnlockBytes,
        schedule: scheduleOf(termOf(event)),
      };
    }
    case 'add-to-allowlist':
      return { staker: event.staker, max_sats: String(event.maxSats) };
    case 'register-for-bond': {
      const { staker, signer, sats, ustx } = event.holding;
      return { staker, signer, type: typeOf(event), balances: { btc: String(sats), stx: String(ustx) } };
    }
    case 'update-bond-registration': {
      const { staker, signer, sats, ustx } = event.holding;
      const [old_signer, type] = [event.oldSigner, typeOf(event)];
      return { staker, signer, old_signer, type, balances: { btc: String(sats), stx: String(ustx) } };
    }
    case 'announce-l1-early-exit':
      return { ...event.parties, released: { btc: String(event.released) } };
    case 'unstake-sbtc': {
      const { parties, withdrawn, remaining } = event;
      return { ...parties, withdrawn: { btc: String(withdrawn) }, remaining: { btc: String(remaining) } };
    }
    case 'bond-distribution':
      return {
        calculation: calculationV3(calculation),
        target_yield: String(event.targetYield),
        rewards: { btc: String(event.rewards) },
        staked: { btc: String(event.staked) },
        accrued_rewards_per_sat: String(event.accruedPerSat),
        cumulative_rewards_per_sat: String(event.cumulativePerSat),
      };
    case 'claim-staker-rewards-for-signer': {
      const { manager: signer_manager, staker, cycle: reward_cycle, claimed } = event;
      return { signer_manager, staker, reward_cycle, claimed: { btc: String(claimed) } };
    }
    default:
      return event satisfies never;
  }
}

const typeOf = ({ isL1 }: { readonly isL1: boolean }) => (isL1 ? 'l1' : 'l2');

function calculationV3(print: StakingPrint | undefined) {
  const found = print && calculationOf(print);
  return found ? { bitcoin_height: found.bitcoinHeight, reward_cycle: found.cycle } : null;
}
