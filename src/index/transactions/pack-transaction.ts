/**
 * Packs transactions from their fields. The result is what packRecord gives of the JSON text of version 1. That text is not made, and not
 * searched for shared texts, which is a large part of what a replay does for a transaction.
 */
import { BoundedCache } from '../../base/lib/bounded-cache.ts';
import { isoTime } from '../../base/lib/time.ts';
import { ANCHORED_SEQUENCE } from '../../ingest/chain/block-facts.ts';
import { type Keys, keysBefore, knownKeys, packRecord, RecordPacker } from './record-packer.ts';
import { type StoredCall, type StoredPayload, type StoredTransaction, transactionV1 } from './stored.ts';

/** What a column `record` of TXS or ORPHANED_TXS has of a transaction. */
export const packTransaction = (tx: StoredTransaction): string =>
  packUsual(tx) ?? packRecord(JSON.stringify(transactionV1(tx)));

/** Packs a transfer or a call of a known function that a block has, without sponsor: mostly there are no others. Undefined for any other. */
function packUsual(tx: StoredTransaction): string | undefined {
  const { payload } = tx;
  if (payload.type !== 'token_transfer' && payload.type !== 'contract_call') return undefined;
  if (tx.sponsor !== null || tx.vmError !== null || !tx.canonical || tx.blockHash === '0x') return undefined;
  if (tx.microblock.hash !== '0x' || tx.microblock.sequence !== ANCHORED_SEQUENCE) return undefined;
  const packer = new RecordPacker();
  addContent(packer, tx);
  addBlock(packer, tx);
  addResult(packer, tx);
  if (payload.type === 'contract_call') addCall(packer, payload);
  else addTransfer(packer, payload);
  return packer.packed();
}

const ID = knownKeys('{"tx_id":"0x');
const NONCE = knownKeys('","nonce":');
const FEE = knownKeys(',"fee_rate":"');
const SENDER = knownKeys('","sender_address":"S');
const MODE = keysWith(mode => `","sponsored":false,"post_condition_mode":"${mode}","post_conditions":[`);

function addContent(packer: RecordPacker, tx: StoredTransaction): void {
  packer.keys(ID).value(tx.txId.slice(2)).keys(NONCE).value(`${tx.nonce}`).keys(FEE).value(tx.fee);
  packer.keys(SENDER).value(tx.sender.slice(1)).keys(MODE(tx.postConditionMode));
  if (tx.postConditions.length > 0) packer.search(JSON.stringify(tx.postConditions).slice(1, -1));
}

const BLOCK_HASH = keysWith(anchorMode => `],"anchor_mode":"${anchorMode}","block_hash":"0x`);
const BLOCK_HEIGHT = knownKeys('","block_height":');
const BLOCK_TIME = knownKeys(',"block_time":');
const BLOCK_TIME_ISO = knownKeys(',"block_time_iso":"');
// A shared text begins in the thousandths of the second that precede these three.
const BURN_BLOCK_TIME = keysWith(thousandths => `${thousandths}","burn_block_time":`);
const PARENT_BURN_BLOCK_TIME = keysWith(thousandths => `${thousandths}","parent_burn_block_time":`);
const INDEX_IN_BLOCK = keysWith(thousandths => `${thousandths}","canonical":true,"tx_index":`);
const BURN_BLOCK_HEIGHT = knownKeys(',"burn_block_height":');
const BURN_BLOCK_TIME_ISO = knownKeys(',"burn_block_time_iso":"');
const PARENT_BURN_BLOCK_TIME_ISO = knownKeys(',"parent_burn_block_time_iso":"');

function addBlock(packer: RecordPacker, tx: StoredTransaction): void {
  packer.keys(BLOCK_HASH(tx.anchorMode)).value(tx.blockHash.slice(2)).keys(BLOCK_HEIGHT).value(`${tx.blockHeight}`);
  packer.keys(BLOCK_TIME).value(`${tx.blockTime}`).keys(BLOCK_TIME_ISO);
  addTime(packer, tx.blockTime, BURN_BLOCK_TIME).value(`${tx.burnBlockTime}`);
  packer.keys(BURN_BLOCK_HEIGHT).value(`${tx.burnBlockHeight}`).keys(BURN_BLOCK_TIME_ISO);
  addTime(packer, tx.burnBlockTime, PARENT_BURN_BLOCK_TIME).value(`${tx.parentBurnBlockTime}`);
  packer.keys(PARENT_BURN_BLOCK_TIME_ISO);
  addTime(packer, tx.parentBurnBlockTime, INDEX_IN_BLOCK).value(`${tx.txIndex}`);
}

const LENGTH_TO_THOUSANDTHS = '2025-01-01T00:00:00'.length;

function addTime(packer: RecordPacker, time: number, keysAfter: (thousandths: string) => Keys): RecordPacker {
  const text = isoTime(time);
  return packer.value(text.slice(0, LENGTH_TO_THOUSANDTHS)).keys(keysAfter(text.slice(LENGTH_TO_THOUSANDTHS)));
}

const OK_TRUE = keysWith(
  status => `,"tx_status":${JSON.stringify(status)},"tx_result":{"hex":"0x0703","repr":"(ok true)"},"event_count":`,
);
const RESULT = keysWith(status => `,"tx_status":${JSON.stringify(status)},"tx_result":{"hex":"0x`);
const REPR = keysBefore('","repr":"');
const EVENT_COUNT = knownKeys('"},"event_count":');
const PARENT_BLOCK_HASH = knownKeys(',"parent_block_hash":"0x');
const READ_COUNT = knownKeys(
  `","is_unanchored":false,"microblock_hash":"0x","microblock_sequence":${ANCHORED_SEQUENCE},"microblock_canonical":true,"execution_cost_read_count":`,
);
const READ_LENGTH = knownKeys(',"execution_cost_read_length":');
const RUNTIME = knownKeys(',"execution_cost_runtime":');
const WRITE_COUNT = knownKeys(',"execution_cost_write_count":');
const WRITE_LENGTH = knownKeys(',"execution_cost_write_length":');

function addResult(packer: RecordPacker, tx: StoredTransaction): void {
  const { result, cost } = tx;
  // Most calls have the result that is within a shared text.
  if (result.hex === '0x0703' && result.repr === '(ok true)') packer.keys(OK_TRUE(tx.status));
  else packer.keys(RESULT(tx.status)).value(result.hex.slice(2)).member(REPR, insideOf(result.repr)).keys(EVENT_COUNT);
  packer.value(`${tx.eventCount}`).keys(PARENT_BLOCK_HASH).value(tx.parentBlockHash.slice(2));
  packer.keys(READ_COUNT).value(`${cost.read_count}`).keys(READ_LENGTH).value(`${cost.read_length}`);
  packer.keys(RUNTIME).value(`${cost.runtime}`).keys(WRITE_COUNT).value(`${cost.write_count}`);
  packer.keys(WRITE_LENGTH).value(`${cost.write_length}`);
}

const RECIPIENT = knownKeys(
  ',"vm_error":null,"events":[],"tx_type":"token_transfer","token_transfer":{"recipient_address":"',
);
const AMOUNT = knownKeys('","amount":"');
const MEMO = knownKeys('","memo":"0x');
const END_OF_MEMO = knownKeys('"}}');
/** Of a transfer without a memo. */
const ZERO_MEMO = `0x${'0'.repeat(68)}`;
const NO_MEMO = knownKeys(`","memo":"${ZERO_MEMO}"}}`);

type Transfer = Extract<StoredPayload, { readonly type: 'token_transfer' }>;

function addTransfer(packer: RecordPacker, { recipient, amount, memo }: Transfer): void {
  packer.keys(RECIPIENT).value(recipient).keys(AMOUNT).value(amount);
  if (memo === ZERO_MEMO) packer.keys(NO_MEMO);
  else packer.keys(MEMO).value(memo.slice(2)).keys(END_OF_MEMO);
}

const CONTRACT = knownKeys(',"vm_error":null,"events":[],"tx_type":"contract_call","contract_call":{"contract_id":"');

function addCall(packer: RecordPacker, call: StoredCall): void {
  packer.keys(CONTRACT).value(call.contractId);
  const known = knownFunction(call);
  if (known) {
    for (const [i, { hex, repr }] of call.args.entries())
      packer
        .keys(known.keys[i] as Keys)
        .value(hex.slice(2))
        .member(REPR, insideOf(repr));
    packer.keys(known.keys[call.args.length] as Keys);
  } else {
    const { functionName: function_name, functionSignature: function_signature, args: function_args } = call;
    packer.search(`",${JSON.stringify({ function_name, function_signature, function_args }).slice(1)}}`);
  }
}

/** The inside of the JSON string of a text. */
const insideOf = (text: string): string => JSON.stringify(text).slice(1, -1);

type ArgumentNames = Pick<StoredCall['args'][number], 'name' | 'type'>;

/** A function with the keys before the value of each argument, and those after the last. */
interface KnownFunction {
  readonly name: string;
  readonly args: readonly ArgumentNames[];
  readonly keys: readonly Keys[];
}

/** By signature, and by the number of arguments of a call. */
const knownFunctions = new BoundedCache<string, Map<number, KnownFunction>>(500);
/** Interfaces may have functions of any length. */
const LONGEST_SIGNATURE = 1000;
const MOST_SIZES = 10;

/** Undefined where the interface of the contract is not known. */
function knownFunction({ functionName, functionSignature: signature, args }: StoredCall): KnownFunction | undefined {
  if (signature === '' || signature.length > LONGEST_SIGNATURE) return undefined;
  const bySize = knownFunctions.get(signature) ?? new Map<number, KnownFunction>();
  const known = bySize.get(args.length);
  // The names too, as a contract may choose them such that two functions have one signature.
  if (known?.name === functionName && args.every((arg, i) => isNamed(arg, known.args[i]))) return known;
  const names = args.map(({ name, type }) => ({ name, type }));
  const made = { name: functionName, args: names, keys: keysOfCall(functionName, signature, names) };
  if (bySize.size >= MOST_SIZES) bySize.clear();
  bySize.set(args.length, made);
  knownFunctions.set(signature, bySize);
  return made;
}

const isNamed = (arg: ArgumentNames, known: ArgumentNames | undefined): boolean =>
  arg.name === known?.name && arg.type === known.type;

function keysOfCall(functionName: string, signature: string, args: readonly ArgumentNames[]): Keys[] {
  // The name and the signature are in one text with the keys, as a shared text begins within a name.
  const [name, signatureText] = [JSON.stringify(functionName), JSON.stringify(signature)];
  const starts = [`","function_name":${name},"function_signature":${signatureText},"function_args":[`];
  for (const { name, type } of args)
    starts.push(`","name":${JSON.stringify(name)}${type === undefined ? '' : `,"type":${JSON.stringify(type)}`}}`);
  return starts.map((start, i) =>
    knownKeys(i === args.length ? `${start}]}}` : `${start}${i === 0 ? '' : ','}{"hex":"0x`),
  );
}

/** Keys that have one of few names in them. */
function keysWith(textOf: (name: string) => string): (name: string) => Keys {
  const known = new BoundedCache<string, Keys>(20);
  return name => {
    let keys = known.get(name);
    if (keys === undefined) {
      keys = knownKeys(textOf(name));
      known.set(name, keys);
    }
    return keys;
  };
}
