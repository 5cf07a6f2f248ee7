import { rawHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredSigner } from '../../../index/pox/stored.ts';
import { type POX_SIGNERS, SIGNERS_OF_CYCLE } from '../../../index/pox/tables.ts';
import { cycleOfHeight, type PoxCycles } from '../../../ingest/chain/pox-cycles.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import type { RewardSetSigner } from '../../../ingest/node/events/block.ts';

/** A signer with its weight. */
type WeightedSigner = Pick<RewardSetSigner, 'signing_key' | 'weight'>;

/**
 * The sets of signers, one of which must have signed a block of this burn height: that of its cycle, and at the first height of a cycle also that of
 * the previous cycle. Empty if the index lacks one of them.
 */
export async function signersAt(
  queries: Queries,
  cycles: PoxCycles | undefined,
  burnBlockHeight: number,
): Promise<readonly (readonly WeightedSigner[])[]> {
  if (!cycles) return [];
  const cycle = cycleOfHeight(cycles, burnBlockHeight);
  const isFirst = (burnBlockHeight - cycles.first) % cycles.length === 0;
  const sets = await Promise.all((isFirst ? [cycle, cycle - 1] : [cycle]).map(each => signersOf(queries, each)));
  return sets.every(set => set.length > 0) ? sets : [];
}

async function signersOf(queries: Queries, cycle: number): Promise<WeightedSigner[]> {
  const row = await queries.get<{ first_signer: number }>(
    'SELECT first_signer FROM pox_cycles WHERE cycle = ? ORDER BY height DESC LIMIT 1',
    [cycle],
  );
  const list = row && (await findList(queries, SIGNERS_OF_CYCLE, String(cycle)));
  if (!list) return [];
  const rows = await queries.all<RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>>(
    'SELECT signing_key, record FROM pox_signers WHERE list = ? AND seq >= ? ORDER BY seq',
    [list.id, row.first_signer],
  );
  return rows.map(({ signing_key, record }) => ({
    signing_key: rawHex(signing_key),
    weight: readStoredSigner(record).weight,
  }));
}
