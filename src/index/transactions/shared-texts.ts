/** The texts that packed records share (packed-record.ts). */

/** Upper bytes of amounts, and the end of memos. */
export const ZEROS = '0'.repeat(16);

/** The list may only grow at its end: what is stored names its entries by number. At most 125 of them. */
export const SHARED: readonly string[] = [
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

/** A head is of characters from 1 to this: one byte each in UTF-8. */
export const LARGEST = 126;
/** In the place of a distance: this many characters more. */
export const FAR = 127;

/** Numbers of shared texts by the text, from 1 on. */
export const NUMBERS: ReadonlyMap<string, number> = new Map(SHARED.map((text, i) => [text, i + 1]));
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
/** Where one text begins with another, the longer one is meant. */
export const ANY_SHARED = new RegExp(
  [...SHARED]
    .sort((a, b) => b.length - a.length)
    .map(quoted)
    .join('|'),
  'g',
);
