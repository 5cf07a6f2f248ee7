import { toHex } from '../../../base/lib/hex.ts';
import type { Row, Table } from '../../../base/store/database.ts';
import { keyValuesOf, type RowOf, rowFrom, valuesOf } from '../../../base/store/table.ts';
import type { POX_EVENTS } from '../../../index/pox/tables.ts';
import { applyStakingEvent } from '../../../index/staking/apply.ts';
import { stakingEvent } from '../../../index/staking/facts.ts';
import type { Rows } from '../../../index/staking/stakers.ts';
import { STAKING_TABLES } from '../../../index/staking/tables.ts';
import { type Check, type Context, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';

export const stakingCheck: Check = {
  name: 'staking',
  proves: 'bonds, allowlists, positions, stakes, rates of rewards, signer keys and grants of PoX 5 match the prints',
  async *run(context) {
    const made = context.newMap();
    await replay(made, context);
    for (const table of STAKING_TABLES) {
      for await (const row of tableRows<Table, string>(context.index, table, Object.keys(table.columns))) {
        const name = nameOf(table, row);
        if ((await made.take(name)) !== textOf(table, row)) yield wrong(`${name} differs from the prints`);
      }
    }
    for await (const [name] of made.entries()) yield wrong(`${name} is missing`);
  },
};

/** The prints in order, as the index has them. */
async function replay(made: SpillingMap, { index }: Context): Promise<void> {
  const rows = rowsIn(made);
  type Print = RowOf<typeof POX_EVENTS, 'seq' | 'contract' | 'tx_id' | 'event_index' | 'raw'> & { readonly tx: number };
  for await (const { contract, tx, tx_id, event_index, raw } of pagedRows<Print>(index, {
    sql: `SELECT seq, contract, tx_id, event_index, raw,
      (SELECT max(t.seq) FROM txs t WHERE t.tx_id = pox_events.tx_id) AS tx
      FROM pox_events`,
    key: ['seq'],
  })) {
    const event = contract === 'pox-5' ? stakingEvent(raw) : undefined;
    if (event) await applyStakingEvent(rows, event, { tx, txId: toHex(tx_id), eventIndex: event_index });
  }
}

/** Rows as texts in a map. */
const rowsIn = (made: SpillingMap): Rows => ({
  async get(table, key) {
    const text = await made.get(nameOf(table, key));
    return text === undefined ? null : rowFrom(table, JSON.parse(text, readBytes));
  },
  async put(table, row) {
    await made.set(nameOf(table, row), textOf(table, row));
  },
  async remove(table, key) {
    await made.delete(nameOf(table, key));
  },
});

const nameOf = (table: Table, key: Row): string => `${table.name} ${JSON.stringify(keyValuesOf(table, key))}`;
const textOf = (table: Table, row: Row): string => JSON.stringify(valuesOf(table, row).map(bytesAsText));

/** JSON has no bytes. */
const bytesAsText = (value: unknown): unknown => (value instanceof Uint8Array ? { bytes: toHex(value) } : value);
const readBytes = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? Buffer.from(String(value.bytes).slice(2), 'hex')
    : value;
