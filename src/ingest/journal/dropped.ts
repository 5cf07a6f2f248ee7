import { FatalDatabaseError } from '../../base/store/errors.ts';

/*
 * A payload may be dropped, to free its space; the row of the entry stays. The bytes in its place are no frame of zstd, so that a program
 * without support for dropped payloads fails to read it, rather than read an empty one:
 *
 *     dropped pack: 2, then an identity of 16 bytes for each payload that was in it (identity.ts)
 *
 * They replace the pack in the first row; the other rows are empty, as before.
 */
const DROPPED = 2;
const IDENTITY_BYTES = 16;

/**
 * The error for an entry whose payload is needed but was dropped.
 * @param message the action that failed
 */
export const payloadDropped = (message: string, hint?: string): FatalDatabaseError =>
  new FatalDatabaseError('PAYLOAD_DROPPED', message, hint === undefined ? {} : { hint });

export const isPayloadDropped = (error: unknown): error is FatalDatabaseError =>
  error instanceof FatalDatabaseError && error.code === 'PAYLOAD_DROPPED';

/** The bytes for the first row of a pack with dropped payloads. @param identities of its payloads, in their order */
export const droppedPack = (identities: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat([Buffer.of(DROPPED), ...identities]);

/** First byte of the payload of such a row, for queries. */
export const DROPPED_MARK: Uint8Array = Buffer.of(DROPPED);

export const isDroppedPack = (payload: Uint8Array): boolean => payload[0] === DROPPED;

/** The identities of the payloads that were in a dropped pack. @throws Error when it is damaged */
export function identitiesIn(pack: Uint8Array): readonly Uint8Array[] {
  const count = (pack.length - 1) / IDENTITY_BYTES;
  if (!isDroppedPack(pack) || !Number.isInteger(count) || count === 0) throw new Error('a dropped pack is damaged');
  return Array.from({ length: count }, (_, i) => pack.subarray(1 + i * IDENTITY_BYTES, 1 + (i + 1) * IDENTITY_BYTES));
}
