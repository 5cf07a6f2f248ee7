import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { POX_EVENTS } from '../../../index/pox/tables.ts';
import { applyStakingEvent } from '../../../index/staking/apply.ts';
import { RatesByCycle, rowsWithSettlements } from '../../../index/staking/cycle-rewards.ts';
import { DistributionsOfTx, rowsWithLocks } from '../../../index/staking/cycle-totals.ts';
import { stakingEvent } from '../../../index/staking/facts.ts';
import { eventsOfBonds } from '../../../index/staking/projection.ts';
import { EVENTS_OF_BOND, STAKING_TABLES, STAKING_VERSIONS } from '../../../index/staking/tables.ts';
import type { Check, Context, Finding } from '../check.ts';
import { compareRows, MadeRows } from '../made-rows.ts';
import { pagedRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedEvents } from './sources.ts';

export const stakingCheck: Check = {
  name: 'staking',
  proves:
    'bonds with their events, allowlists, positions, stakes, rates and totals of rewards, signer keys and grants of PoX 5 match the prints',
  recounts: [EVENTS_OF_BOND, ...STAKING_VERSIONS],
  async *run(context) {
    yield* withSpillingMap(made => withRecount(past => compare(made, past, context)));
    yield* withRecount(events => compareEvents(events, context));
  },
};

async function* compare(made: SpillingMap, past: Recount, context: Context): AsyncIterable<Finding> {
  await replay(new MadeRows(made, past, STAKING_VERSIONS), context);
  yield* compareRows(STAKING_TABLES, made, context, 'the prints');
  yield* past.compare(STAKING_VERSIONS, context.index);
}

async function* compareEvents(recount: Recount, { index }: Context): AsyncIterable<Finding> {
  for await (const { seq: tx, events } of recordedEvents(index))
    for (const { bond, ...entry } of eventsOfBonds({ events }))
      await recount.add(EVENTS_OF_BOND, bond, { tx, ...entry });
  yield* recount.compare([EVENTS_OF_BOND], index);
}

/** The prints in order, as the index has them. */
async function replay(rows: MadeRows, { index }: Context): Promise<void> {
  const distributions = new DistributionsOfTx();
  const rates = new RatesByCycle();
  type Print = RowOf<typeof POX_EVENTS, 'seq' | 'contract' | 'height' | 'tx_id' | 'event_index' | 'raw'> & {
    readonly tx: number;
  };
  for await (const { contract, height, tx, tx_id, event_index, raw } of pagedRows<Print>(index, {
    sql: `SELECT seq, contract, height, tx_id, event_index, raw,
      (SELECT max(t.seq) FROM txs t WHERE t.tx_id = pox_events.tx_id) AS tx
      FROM pox_events`,
    key: ['seq'],
  })) {
    const event = contract === 'pox-5' ? stakingEvent(raw) : undefined;
    if (!event) continue;
    rows.atHeight(height);
    await applyStakingEvent(rowsWithSettlements(rowsWithLocks(rows, tx)), event, {
      tx,
      txId: toHex(tx_id),
      eventIndex: event_index,
    });
    await distributions.note(rows, event, tx);
    await rates.note(rows, event, tx);
  }
}
