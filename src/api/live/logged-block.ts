import type { BlockV2 } from '../records/blocks/record-v2.ts';
import type { LogPosition, PositionInBlock } from './token.ts';

/** A canonical block, with the fields that the log needs. */
export interface LoggedBlock {
  readonly record: BlockV2;
  readonly firstTx: number;
  readonly txRows: number;
  /** Whether this is the lowest canonical block with its burn block. */
  readonly isFirstOfBurnBlock: boolean;
  /** A place in this block. */
  readonly place: (at: PositionInBlock) => LogPosition;
}

/** Fields that every event of a block carries although they change while the chain grows. */
export interface TipFields {
  readonly tip: { readonly height: number; readonly index_hash: string };
  readonly finalized_height: number;
}

/** The JSON text of an event's payload. */
export const json = (value: object): string => JSON.stringify(value);

/** The form in which payloads of other events name a block. */
export const shortOf = ({ record }: LoggedBlock) => ({ height: record.height, index_hash: record.index_block_hash });
