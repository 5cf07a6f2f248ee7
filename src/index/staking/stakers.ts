import type { Table } from '../../base/store/database.ts';
import type { KeyOf, RowOf } from '../../base/store/table.ts';
import type { WrittenRow } from '../../ingest/indexer/workspace.ts';
import { BOND_POSITIONS, SIGNER_STAKER_COUNTS, SIGNER_STAKERS, STAKED_STX, STAKERS, STAKING_BONDS } from './tables.ts';

/** The rows that the rules of staking read and write: those of the index, or those that a check recomputes. */
export interface Rows {
  get<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<RowOf<T> | null>;
  put<T extends Table>(table: T, row: WrittenRow<NoInfer<T>>): Promise<void>;
  remove<T extends Table>(table: T, key: KeyOf<NoInfer<T>>): Promise<void>;
}

type Staker = WrittenRow<typeof STAKERS>;
type Position = WrittenRow<typeof BOND_POSITIONS>;

/** The last burn height at which a staker is with a manager. */
interface Stay {
  readonly signer: string;
  readonly until: number;
}
interface Stays {
  readonly stx: Stay | undefined;
  readonly btc: Stay | undefined;
}

/**
 * Changes a staker, and its rows with its managers. A staker is with a manager in at most two ways: with STX staked alone, and in
 * the bond of its last registration.
 * @param position the new state of one of its positions
 */
export async function changeStaker(
  rows: Rows,
  staker: string,
  change: (before: Staker) => Staker,
  position?: Position,
): Promise<void> {
  const before = (await rows.get(STAKERS, { staker })) ?? newStaker(staker);
  const staysBefore = await staysOf(rows, before);
  const after = change(before);
  if (position) await rows.put(BOND_POSITIONS, position);
  await rows.put(STAKERS, after);
  await addStaked(rows, before.unlock_height, -BigInt(before.ustx));
  await addStaked(rows, after.unlock_height, BigInt(after.ustx));
  const staysAfter = await staysOf(rows, after);
  const signers = new Set(
    [staysBefore.stx, staysBefore.btc, staysAfter.stx, staysAfter.btc].flatMap(stay => stay?.signer ?? []),
  );
  for (const signer of signers) await writeStay(rows, { signer, staker }, staysAfter);
}

const newStaker = (staker: string): Staker => ({
  staker,
  signer: null,
  ustx: '0',
  unlock_height: 0,
  claimed: '0',
  bond_index: null,
});

/** The stays of a staker: STX are locked up to the unlock height, inclusive; a bond is unlocked at it. */
async function staysOf(rows: Rows, { staker, signer, ustx, unlock_height, bond_index }: Staker): Promise<Stays> {
  const stx = signer === null || ustx === '0' ? undefined : { signer, until: unlock_height };
  const bond = bond_index === null ? null : await rows.get(STAKING_BONDS, { bond_index });
  const position = bond_index === null ? null : await rows.get(BOND_POSITIONS, { bond_index, staker });
  if (!bond || !position || position.exited || position.rolled) return { stx, btc: undefined };
  return { stx, btc: { signer: position.signer, until: Math.max(0, bond.unlock_height - 1) } };
}

async function writeStay(
  rows: Rows,
  key: { readonly signer: string; readonly staker: string },
  { stx, btc }: Stays,
): Promise<void> {
  const { signer, staker } = key;
  const before = await rows.get(SIGNER_STAKERS, key);
  const stx_until = stx?.signer === signer ? stx.until : 0;
  const btc_until = btc?.signer === signer ? btc.until : 0;
  const [earlier, later] = [Math.max(before?.stx_until ?? 0, before?.btc_until ?? 0), Math.max(stx_until, btc_until)];
  if (later > 0) await rows.put(SIGNER_STAKERS, { signer, staker, stx_until, btc_until });
  else if (before) await rows.remove(SIGNER_STAKERS, key);
  if (earlier === later) return;
  await addToCount(rows, signer, earlier, -1);
  await addToCount(rows, signer, later, 1);
}

async function addToCount(rows: Rows, signer: string, until: number, change: 1 | -1): Promise<void> {
  if (until === 0) return;
  const stakers = ((await rows.get(SIGNER_STAKER_COUNTS, { signer, until }))?.stakers ?? 0) + change;
  if (stakers > 0) await rows.put(SIGNER_STAKER_COUNTS, { signer, until, stakers });
  else await rows.remove(SIGNER_STAKER_COUNTS, { signer, until });
}

async function addStaked(rows: Rows, unlock_height: number, more: bigint): Promise<void> {
  if (more === 0n) return;
  const ustx = BigInt((await rows.get(STAKED_STX, { unlock_height }))?.ustx ?? 0) + more;
  if (ustx > 0n) await rows.put(STAKED_STX, { unlock_height, ustx: String(ustx) });
  else await rows.remove(STAKED_STX, { unlock_height });
}
