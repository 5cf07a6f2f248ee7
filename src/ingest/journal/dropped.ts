import { FatalDatabaseError } from '../../base/store/errors.ts';

/*
 * A payload may be dropped, to free its space; the row of the entry stays. What is stored in its place is no frame of zstd, so that a program
 * that knows no dropped payloads fails to read it, rather than read an empty one:
 *
 *     dropped pack: 2, then an identity of 16 bytes for each payload that was in it (identity.ts)
 *
 * It replaces the pack of the first row; those of the other rows are empty, as before.
 */
const DROPPED = 2;
const IDENTITY_BYTES = 16;

/**
 * The error of an entry whose payload is needed and was dropped.
 * @param message what cannot be done
 */
export const payloadDropped = (message: string, hint?: string): FatalDatabaseError =>
  new FatalDatabaseError('PAYLOAD_DROPPED', message, hint === undefined ? {} : { hint });

export const isPayloadDropped = (error: unknown): error is FatalDatabaseError =>
  error instanceof FatalDatabaseError && error.code === 'PAYLOAD_DROPPED';

/** What the first row of a pack holds once its payloads are dropped. @param identities of its payloads, in their order */
export const droppedPack = (identities: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([Buffer.of(DROPPED), ...identities]);

/** What a query compares the first byte of a payload with. */
export const DROPPED_MARK: Uint8Array = Buffer.of(DROPPED);

export const isDroppedPack = (payload: Uint8Array): boolean => payload[0] === DROPPED;

/** The identities of the payloads that were in a dropped pack. @throws Error when it is damaged */
export function identitiesIn(pack: Uint8Array): readonly Uint8Array[] {
  const count = (pack.length - 1) / IDENTITY_BYTES;
  if (!isDroppedPack(pack) || !Number.isInteger(count) || count === 0) throw new Error('a dropped pack is damaged');
  return Array.from({ length: count }, (_, i) => pack.subarray(1 + i * IDENTITY_BYTES, 1 + (i + 1) * IDENTITY_BYTES));
}
