/**
 * Stores records of transactions, prints and events as JSON without the texts that most of them share. A packed record has a head, which
 * lists the shared texts and their places, and the remaining characters. It takes less than half the space, and restoring the texts
 * costs less than a microsecond (bench/notes/2026-11.md).
 *
 *     head: its length, then pairs of (characters up to the text, number of the text), each one character above 0
 */

/** Upper bytes of amounts, and the end of memos. */
const ZEROS = '0'.repeat(16);

/** The shared texts, at most 125. The list may only grow at its end: stored records refer to entries by number. */
const SHARED: readonly string[] = [
  ',"is_unanchored":false,"microblock_hash":"0x","microblock_sequence":2147483647,"microblock_canonical":true,"execution_cost_read_count":',
  ',"vm_error":null,"events":[],"tx_type":"contract_call","contract_call":{"contract_id":"',
  ',"vm_error":null,"events":[],"tx_type":"token_transfer","token_transfer":{"recipient_address":"',
  '","sponsored":false,"post_condition_mode":"deny","post_conditions":[',
  '","sponsored":false,"post_condition_mode":"allow","post_conditions":[',
  ',"canonical":true,"tx_index":',
  ',"tx_status":"success","tx_result":{"hex":"0x0703","repr":"(ok true)"},"event_count":',
  ',"execution_cost_read_length":',
  ',"execution_cost_runtime":',
  ',"execution_cost_write_count":',
  ',"execution_cost_write_length":',
  '.000Z","parent_burn_block_time":',
  ',"parent_burn_block_time_iso":"',
  '.000Z","burn_block_time":',
  ',"burn_block_height":',
  ',"burn_block_time_iso":"',
  ',"parent_block_hash":"0x',
  '],"anchor_mode":"any","block_hash":"0x',
  '","block_height":',
  ',"block_time":',
  ',"block_time_iso":"',
  '{"tx_id":"0x',
  ',"fee_rate":"',
  '","sender_address":"S',
  '","function_name":"',
  '","function_signature":"(define-public (',
  ',"function_args":[{"hex":"0x',
  '"},{"hex":"0x',
  '","name":"recipient","type":"principal"',
  '","name":"sender","type":"principal"',
  '","name":"amount","type":"uint"',
  '{"principal":{"type_id":"principal_standard","address":"S',
  '"},"condition_code":"sent_equal_to","amount":"',
  '"},"condition_code":"sent_less_than_or_equal_to","amount":"',
  '","type":"fungible","asset":{"asset_name":"',
  '","contract_address":"S',
  '","contract_name":"',
  '"},"type":"stx"}',
  '","memo":"0x00000000000000000000000000000000000000000000000000000000000000000000"}}',
  '","amount":"',
  '","memo":"0x',
  'transfer","function_signature":"(define-public (transfer (amount uint) (sender principal) (recipient principal) (memo (optional (buff 34)))))',
  '"0x09","repr":"none","name":"memo","type":"(optional (buff 34))"',
  ',"tx_status":"abort_by_response","tx_result":{"hex":"0x',
  ',"tx_status":"abort_by_post_condition","tx_result":{"hex":"0x',
  '],"anchor_mode":"on_chain_only","block_hash":"0x',
  '","sponsored":true,"post_condition_mode":"deny","post_conditions":[',
  '","sponsored":true,"post_condition_mode":"allow","post_conditions":[',
  ',"vm_error":null,"events":[],"tx_type":"smart_contract","smart_contract":{"clarity_version":',
  ',"vm_error":null,"events":[],"tx_type":"coinbase","coinbase_payload":{"data":"0x',
  ',"vm_error":null,"events":[],"tx_type":"tenure_change","tenure_change_payload":{"tenure_consensus_hash":"0x',
  '","type":"uint"',
  '","type":"principal"',
  '","type":"bool"',
  '","type":"trait_reference"',
  '","nonce":',
  '","repr":"',
  '","repr":"u',
  '","repr":"\'S',
  '","name":"',
  '},{"hex":"0x',
  '","type":"uint"},{"hex":"0x',
  '","type":"principal"},{"hex":"0x',
  ',"tx_status":"success","tx_result":{"hex":"0x',
  '"},"event_count":',
  ZEROS,
  ZEROS + ZEROS,
  '","alt_recipient":null,"vrf_proof":"0x',
  '","prev_tenure_consensus_hash":"0x',
  '","burn_view_consensus_hash":"0x',
  '","previous_tenure_end":"0x',
  '","previous_tenure_blocks":',
  ',"cause":"block_found","pubkey_hash":"0x',
  ',"cause":"extended","pubkey_hash":"0x',
  ',"event_type":"smart_contract_log","tx_id":"0x',
  '","contract_log":{"contract_id":"S',
  '","topic":"print","value":{"hex":"0x',
  '","repr":"(tuple (',
  '[["stx","transfer","S',
  '[["ft","transfer","S',
  '[["nft","transfer","S',
  '],["log","S',
  '","print","0x0c0000000',
];

/** Numbers of the shared texts directly before a transaction's place. */
const BEFORE_SEQUENCE = 1;
const BEFORE_INDEX = 6;
/** The sequence in the first of the shared texts: that of anchored transactions. */
const NO_SEQUENCE = 2_147_483_647;

/** The characters of a head are from 1 to this: one byte each in UTF-8. */
const LARGEST = 126;
/** In the place of a distance: this many characters more. */
const FAR = 127;

const numbers: ReadonlyMap<string, number> = new Map(SHARED.map((text, i) => [text, i + 1]));
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
/** If one text begins with another, the longer one matches. */
const ANY_SHARED = new RegExp(
  [...SHARED]
    .sort((a, b) => b.length - a.length)
    .map(quoted)
    .join('|'),
  'g',
);

/** Packs a record. @param json as it is served */
export function packRecord(json: string): string {
  let head = '';
  let rest = '';
  let from = 0;
  // Not `matchAll`, which compiles the expression anew for every record.
  ANY_SHARED.lastIndex = 0;
  for (let match = ANY_SHARED.exec(json); match !== null; match = ANY_SHARED.exec(json)) {
    const before = json.slice(from, match.index);
    const reference = referenceTo(before.length, numbers.get(match[0]) ?? 0);
    if (head.length + reference.length >= LARGEST) break;
    head += reference;
    rest += before;
    from = match.index + match[0].length;
  }
  return String.fromCharCode(head.length + 1) + head + rest + json.slice(from);
}

function referenceTo(distance: number, text: number): string {
  const far = Math.floor(distance / (LARGEST - 1));
  return String.fromCharCode(FAR).repeat(far) + String.fromCharCode((distance % (LARGEST - 1)) + 1, text);
}

/** The inverse of packRecord. @returns the record as it is served */
export function unpackRecord(packed: string): string {
  const headEnd = packed.charCodeAt(0);
  let json = '';
  let from = headEnd;
  let to = headEnd;
  for (let at = 1; at < headEnd; at++) {
    const distance = packed.charCodeAt(at);
    if (distance === FAR) {
      to += LARGEST - 1;
      continue;
    }
    to += distance - 1;
    json += packed.slice(from, to);
    json += SHARED[packed.charCodeAt(++at) - 1]; // appending to one string is the fastest way
    from = to;
  }
  return json + packed.slice(from);
}

/** The place of a transaction in its block, from its record. */
export interface IndexInBlock {
  readonly microblockSequence: number;
  readonly txIndex: number;
}

/** The place of the transaction of a packed record in its block. In most records it follows a shared text, and the record need not be unpacked. */
export function unpackIndexInBlock(packed: string): IndexInBlock {
  const txIndex = textAfter(packed, BEFORE_INDEX);
  if (txIndex === undefined || textAfter(packed, BEFORE_SEQUENCE) === undefined) {
    const tx = JSON.parse(unpackRecord(packed)) as { readonly microblock_sequence: number; readonly tx_index: number };
    return { microblockSequence: tx.microblock_sequence, txIndex: tx.tx_index };
  }
  return { microblockSequence: NO_SEQUENCE, txIndex: Number.parseInt(txIndex, 10) };
}

/** The characters after a shared text, up to the next one, at most 125; undefined if the record was packed without that text. */
function textAfter(packed: string, text: number): string | undefined {
  const headEnd = packed.charCodeAt(0);
  let from = headEnd;
  for (let at = 1; at < headEnd; at++) {
    const distance = packed.charCodeAt(at);
    if (distance === FAR) {
      from += LARGEST - 1;
      continue;
    }
    from += distance - 1;
    if (packed.charCodeAt(++at) !== text) continue;
    const next = at + 1 < headEnd ? packed.charCodeAt(at + 1) : FAR;
    return packed.slice(from, from + Math.min(next, LARGEST) - 1);
  }
  return undefined;
}
