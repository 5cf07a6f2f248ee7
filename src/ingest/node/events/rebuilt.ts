import { isJsonObject } from '../../../base/lib/json.ts';
import { array, bareHex, checked, field, object, type Reader, type ReaderResult, string } from './fields.ts';

/**
 * The path of a block that was rebuilt from the RPC of a node, in a journal or an archive: no node sends it. The body is that of `/new_block`,
 * with the member `_origin` (docs/spec/rebuilt-blocks.md).
 */
export const REBUILT_PATH = '/rebuilt_block';

/** Text that fits into a list with commas. */
const word = checked(string, '1 to 40 of the characters a to z, 0 to 9, _ . [ ]', text =>
  /^[a-z0-9_.[\]]{1,40}$/.test(text),
);

const rebuiltOrigin = object({
  /** A: as the node computes the block. B: some fields are computed or not known. */
  class: checked(string, 'A or B', text => text === 'A' || text === 'B'),
  /** `server_version` of the node. */
  node: checked(string, 'at most 200 characters', text => text.length <= 200),
  /** Names of the fields that are not known. */
  unknown: array(word),
  /** The header of the block in bytes, hex: its hash is the identifier of the block. */
  header: bareHex(),
});
export type RebuiltOrigin = ReaderResult<typeof rebuiltOrigin>;

export const originOf: Reader<RebuiltOrigin> = value =>
  field(isJsonObject(value) ? value : {}, '_origin', rebuiltOrigin);
