import { signerKeyToAddress } from '../../base/codec/index.ts';
import { hexBytes } from '../../base/lib/hex.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import type { RewardSet, RewardSetSigner } from '../../ingest/node/events/block.ts';
import { POX_CYCLES, SIGNERS_OF_CYCLE } from './tables.ts';

type RewardSetFacts = Pick<BlockFacts, 'height' | 'indexBlockHash' | 'rewardSet'>;

/** Writes the reward set of a block. If a chain has two for one cycle, the later one counts. */
export async function addRewardSet(block: RewardSetFacts, workspace: Workspace, network: Network): Promise<void> {
  const rows = rewardSetRows(block, network);
  if (!rows) return;
  const { signers, ...row } = rows;
  const list = String(row.cycle);
  await workspace.loadLists(SIGNERS_OF_CYCLE, [list]);
  await workspace.load(POX_CYCLES, [row]);
  const first = workspace.lengthOf(SIGNERS_OF_CYCLE, list);
  for (const signer of signers) workspace.append(SIGNERS_OF_CYCLE, list, signer);
  workspace.put(POX_CYCLES, { ...row, first_signer: first, signers: signers.length });
}

/** The reward set of a block as rows: its cycle without its place in the list of signers, and the signers; undefined without a reward set. */
export function rewardSetRows({ height, indexBlockHash, rewardSet }: RewardSetFacts, network: Network) {
  if (!rewardSet) return undefined;
  const { cycle, set } = rewardSet;
  const signers = distinct(set.signers ?? []).sort(asServed);
  const weight = signers.reduce((sum, signer) => sum + signer.weight, 0);
  const stacked = signers.reduce((sum, signer) => sum + BigInt(signer.stacked_amt), 0n);
  const record = JSON.stringify({
    block_height: height,
    index_block_hash: indexBlockHash,
    cycle_number: cycle,
    total_weight: weight,
    total_stacked_amount: String(stacked),
    total_signers: signers.length,
  });
  return {
    cycle,
    pox5: isOfPox5(set) ? 1 : 0,
    height,
    record,
    signers: signers.map(signer => ({
      signing_key: hexBytes(signer.signing_key),
      record: JSON.stringify(signerRecord(signer, { weight, stacked }, network)),
    })),
  };
}

/** Recognises PoX 5, which has no threshold (docs/spec/pox.md#stacker-counts). */
const isOfPox5 = ({ signers, pox_ustx_threshold: threshold }: RewardSet): boolean =>
  threshold === null && signers !== null && signers.length > 0;

/** Removes repeated signers: the same figures twice are one signer. */
function distinct(signers: readonly RewardSetSigner[]): RewardSetSigner[] {
  return [...new Map(signers.map(signer => [JSON.stringify(signer), signer])).values()];
}

/** Heaviest first, then by amount, then by key. */
function asServed(a: RewardSetSigner, b: RewardSetSigner): number {
  const amounts = BigInt(b.stacked_amt) - BigInt(a.stacked_amt);
  if (a.weight !== b.weight) return b.weight - a.weight;
  if (amounts !== 0n) return amounts > 0n ? 1 : -1;
  return a.signing_key < b.signing_key ? -1 : 1;
}

/** A signer of a cycle, in emitted order, with the fields that its reward set has (docs/spec/pox.md#signers-of-a-cycle). */
function signerRecord(signer: RewardSetSigner, total: { weight: number; stacked: bigint }, network: Network) {
  return {
    signing_key: `0x${signer.signing_key}`,
    signer_address: signerKeyToAddress(signer.signing_key, network) ?? '',
    weight: signer.weight,
    stacked_amount: String(BigInt(signer.stacked_amt)),
    weight_percent: weightPercent(signer.weight, total.weight),
    stacked_amount_percent: amountPercent(BigInt(signer.stacked_amt), total.stacked),
  };
}

const DECIMAL_PLACES = 20n;
const ONE = 10n ** DECIMAL_PLACES;

/** Share of a weight in percent: in doubles, division first (docs/spec/pox.md#percentages). 0 of nothing is 0. */
export function weightPercent(weight: number, total: number): number {
  return total === 0 ? 0 : (weight / total) * 100;
}

/**
 * Share of an amount in percent: the quotient rounded half up to 20 decimal places, times 100, as the nearest double
 * (docs/spec/pox.md#percentages). 0 of nothing is 0. Neither may be negative.
 */
export function amountPercent(amount: bigint, total: bigint): number {
  if (total === 0n) return 0;
  const quotient = (2n * amount * ONE + total) / (2n * total);
  // Percent is the quotient with its decimal point two places on; Number reads the text to the nearest double.
  return Number(`${quotient}e-${DECIMAL_PLACES - 2n}`);
}
