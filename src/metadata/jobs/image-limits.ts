import { fail, ok, type Result } from '../../base/lib/result.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import { metadataError } from '../errors.ts';
import { METADATA_IMAGE_BYTES } from '../tables.ts';
import type { ContractBudget, JobError, JobLimits } from './job.ts';
import type { StoredTokenKey } from './stored.ts';

/* Limits on images beyond those on a single one: a few bytes of a contract can name any number of large images. */

/**
 * Counts bytes of images before they are written: for the token, its contract, and in total. The count never decreases, as
 * other tokens may share an image. The caller holds `lockJobs`.
 * @returns reason 102 if a quota is exceeded; then nothing is counted
 */
export async function reserveImageBytes(
  tx: DatabaseTransaction,
  { contractId, token }: StoredTokenKey,
  bytes: number,
  limits: JobLimits,
): Promise<Result<undefined, JobError>> {
  const quotas = [
    { key: [contractId, token], most: limits.tokenImageBytes, whose: 'the token' },
    { key: [contractId, ''], most: limits.contractImageBytes, whose: 'the contract' },
    { key: ['', ''], most: limits.imageBytes, whose: 'all tokens' },
  ];
  const rows: [string, string, number][] = [];
  for (const { key, most, whose } of quotas) {
    const [owner = '', id = ''] = key;
    const row = await tx.get<{ bytes: number }>(
      'SELECT bytes FROM metadata_image_bytes WHERE contract_id = ? AND token = ?',
      [owner, id],
    );
    const sum = (row?.bytes ?? 0) + bytes;
    if (sum > most)
      return fail(
        metadataError('image', 'tooLarge', 'permanent', `${bytes} bytes: images of ${whose} may have ${most}`),
      );
    rows.push([owner, id, sum]);
  }
  await tx.upsertMany(METADATA_IMAGE_BYTES, rows);
  return ok(undefined);
}

const HOUR = 3_600_000;
const MANY_CONTRACTS = 10_000;

/** Limits the decoder time for the images of a contract: a share of every hour, which may be used at once. In memory only. */
export class DecodeBudget implements ContractBudget {
  readonly #msPerHour: number;
  readonly #now: () => number;
  /** The time at which a contract's used budget is free again, by contract. */
  readonly #paidBack = new Map<string, number>();

  constructor(msPerHour: number, now: () => number) {
    this.#msPerHour = msPerHour;
    this.#now = now;
  }

  /** Whether the contract has decoder time left. */
  has(contractId: string): boolean {
    return (this.#paidBack.get(contractId) ?? 0) - this.#now() < HOUR;
  }

  spend(contractId: string, ms: number): void {
    const now = this.#now();
    if (this.#paidBack.size >= MANY_CONTRACTS)
      for (const [contract, time] of this.#paidBack) if (time <= now) this.#paidBack.delete(contract);
    const from = Math.max(now, this.#paidBack.get(contractId) ?? 0);
    this.#paidBack.set(contractId, from + (ms / this.#msPerHour) * HOUR);
  }
}
