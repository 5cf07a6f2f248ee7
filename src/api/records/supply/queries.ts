import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { STX_SUPPLIES } from '../../../index/supply/tables.ts';

/** The supply in micro-STX at a height; a height above the tip includes the changes by unanchored microblocks. */
export async function stxSupplyAt(queries: Queries, height: number): Promise<bigint> {
  const row = await queries.get<RowOf<typeof STX_SUPPLIES, 'total'>>(
    'SELECT total FROM stx_supplies WHERE height <= ? ORDER BY height DESC, seq DESC LIMIT 1',
    [height],
  );
  return BigInt(row?.total ?? 0);
}

/** STX with six decimals. It can be below zero if the index lacks a part of the chain. */
export function inStx(microStx: bigint): string {
  const digits = String(microStx < 0n ? -microStx : microStx).padStart(7, '0');
  return `${microStx < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** The same with a comma at every thousand. */
export function inStxWithCommas(microStx: bigint): string {
  const [whole = '', decimals] = inStx(microStx).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
}
