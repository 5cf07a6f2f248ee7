import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { STX_SUPPLIES } from '../../../index/supply/tables.ts';

/** Micro-STX that there are at a height; above the tip with what unanchored microblocks did. */
export async function stxSupplyAt(queries: Queries, height: number): Promise<bigint> {
  const row = await queries.get<RowOf<typeof STX_SUPPLIES, 'total'>>(
    'SELECT total FROM stx_supplies WHERE height <= ? ORDER BY height DESC, seq DESC LIMIT 1',
    [height],
  );
  return BigInt(row?.total ?? 0);
}

/** STX with six decimals. Below zero where the index does not know all of the chain. */
export function inStx(microStx: bigint): string {
  const digits = String(microStx < 0n ? -microStx : microStx).padStart(7, '0');
  return `${microStx < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** The same with a comma at every thousand. */
export function inStxWithCommas(microStx: bigint): string {
  const [whole = '', decimals] = inStx(microStx).split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals}`;
}
