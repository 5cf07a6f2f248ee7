const ANCHOR_MODES = nameTable({ 1: 'on_chain_only', 2: 'off_chain_only', 3: 'any' });

const POST_CONDITION_MODES = nameTable({ 1: 'allow', 2: 'deny', 3: 'originator' });

const TENURE_CAUSES = nameTable({
  0: 'block_found',
  1: 'extended',
  2: 'extended_runtime',
  3: 'extended_read_count',
  4: 'extended_read_length',
  5: 'extended_write_count',
  6: 'extended_write_length',
});

const CONDITION_CODES = nameTable({
  1: 'sent_equal_to',
  2: 'sent_greater_than',
  3: 'sent_greater_than_or_equal_to',
  4: 'sent_less_than',
  5: 'sent_less_than_or_equal_to',
  16: 'sent',
  17: 'not_sent',
  18: 'maybe_sent',
  48: 'not_performed',
  49: 'maybe_performed',
  50: 'performed',
});

/** API text of an anchor mode byte (docs/spec/codec.md#transactions). */
export const anchorModeName = (mode: number): string => nameOf(ANCHOR_MODES, mode);

/** API text of a post-condition mode byte (docs/spec/codec.md#transactions). */
export const postConditionModeName = (mode: number): string => nameOf(POST_CONDITION_MODES, mode);

/** API text of a tenure change cause (SIP-021, SIP-034). */
export const tenureCauseName = (cause: number): string => nameOf(TENURE_CAUSES, cause);

/** API text of a post-condition code (docs/spec/codec.md#post-conditions). */
export const conditionCodeName = (code: number): string => nameOf(CONDITION_CODES, code);

function nameTable(names: Readonly<Record<number, string>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(names).map(([value, name]) => [Number(value), name]));
}

/** Values that this version does not know are still shown: the chain upgrades before the index does. */
function nameOf(names: ReadonlyMap<number, string>, value: number): string {
  return names.get(value) ?? `unknown_${value}`;
}
