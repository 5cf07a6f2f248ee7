import type { Cursor } from '../byte-cursor.ts';
import { type ClarityArg, readClarityArgs } from '../clarity/args.ts';
import { readAddress, readPrincipal } from '../principal.ts';

interface TokenTransferPayload {
  readonly kind: 'token_transfer';
  readonly typeId: 0;
  readonly recipient: string;
  /** In micro-STX. */
  readonly amount: bigint;
  /** All 34 bytes in hex, zero padding kept. */
  readonly memo: string;
}

interface SmartContractPayload {
  readonly kind: 'smart_contract';
  readonly typeId: 1 | 6;
  readonly name: string;
  readonly source: string;
  /** Null for a deploy without a version: Clarity 1, or the default of its epoch. */
  readonly clarityVersion: number | null;
}

interface ContractCallPayload {
  readonly kind: 'contract_call';
  readonly typeId: 2;
  readonly contractId: string;
  readonly functionName: string;
  readonly args: readonly ClarityArg[];
}

interface PoisonMicroblockPayload {
  readonly kind: 'poison_microblock';
  readonly typeId: 3;
  /** 132 bytes each, in hex. */
  readonly header1: string;
  readonly header2: string;
}

interface CoinbasePayload {
  readonly kind: 'coinbase';
  readonly typeId: 4 | 5 | 8;
  /** 32 bytes in hex. */
  readonly data: string;
  /** The principal that receives the reward instead of the miner. */
  readonly altRecipient: string | null;
  /** 80 bytes in hex; only Nakamoto coinbases have one. */
  readonly vrfProof: string | null;
}

interface TenureChangePayload {
  readonly kind: 'tenure_change';
  readonly typeId: 7;
  readonly tenureConsensusHash: string;
  readonly previousTenureConsensusHash: string;
  readonly burnViewConsensusHash: string;
  readonly previousTenureEnd: string;
  readonly previousTenureBlocks: number;
  readonly cause: number;
  readonly publicKeyHash: string;
}

export type Payload =
  | TokenTransferPayload
  | SmartContractPayload
  | ContractCallPayload
  | PoisonMicroblockPayload
  | CoinbasePayload
  | TenureChangePayload;

/** Reads the type byte and what follows (docs/spec/codec.md#payloads). */
export function readPayload(cursor: Cursor): Payload {
  const typeId = cursor.u8();
  switch (typeId) {
    case 0:
      return readTokenTransfer(cursor);
    case 1:
      return readSmartContract(cursor, 1, null);
    case 2:
      return readContractCall(cursor);
    case 3:
      return { kind: 'poison_microblock', typeId, header1: cursor.hex(132), header2: cursor.hex(132) };
    case 4:
      return { kind: 'coinbase', typeId, data: cursor.hex(32), altRecipient: null, vrfProof: null };
    case 5:
      return { kind: 'coinbase', typeId, data: cursor.hex(32), altRecipient: readPrincipal(cursor), vrfProof: null };
    case 6:
      return readSmartContract(cursor, 6, readClarityVersion(cursor));
    case 7:
      return readTenureChange(cursor);
    case 8:
      return readNakamotoCoinbase(cursor);
    default:
      return cursor.fail('invalid_prefix', `payload type ${typeId}`, cursor.offset - 1);
  }
}

function readTokenTransfer(cursor: Cursor): TokenTransferPayload {
  return {
    kind: 'token_transfer',
    typeId: 0,
    recipient: readPrincipal(cursor),
    amount: cursor.u64(),
    memo: cursor.hex(34),
  };
}

function readSmartContract(cursor: Cursor, typeId: 1 | 6, clarityVersion: number | null): SmartContractPayload {
  const name = cursor.contractName();
  const start = cursor.take(cursor.u32());
  const source = cursor.bytes.toString('utf8', start, cursor.offset);
  return { kind: 'smart_contract', typeId, name, source, clarityVersion };
}

/** Versions this program does not know are kept; zero never was one. */
function readClarityVersion(cursor: Cursor): number {
  const version = cursor.u8();
  if (version === 0) cursor.fail('invalid_field', 'Clarity version 0', cursor.offset - 1);
  return version;
}

function readContractCall(cursor: Cursor): ContractCallPayload {
  const contractId = `${readAddress(cursor)}.${cursor.contractName()}`;
  const functionName = cursor.clarityName();
  return { kind: 'contract_call', typeId: 2, contractId, functionName, args: readClarityArgs(cursor) };
}

function readTenureChange(cursor: Cursor): TenureChangePayload {
  return {
    kind: 'tenure_change',
    typeId: 7,
    tenureConsensusHash: cursor.hex(20),
    previousTenureConsensusHash: cursor.hex(20),
    burnViewConsensusHash: cursor.hex(20),
    previousTenureEnd: cursor.hex(32),
    previousTenureBlocks: cursor.u32(),
    cause: cursor.u8(),
    publicKeyHash: cursor.hex(20),
  };
}

function readNakamotoCoinbase(cursor: Cursor): CoinbasePayload {
  const data = cursor.hex(32);
  const altRecipient = readOptionalPrincipal(cursor);
  return { kind: 'coinbase', typeId: 8, data, altRecipient, vrfProof: cursor.hex(80) };
}

function readOptionalPrincipal(cursor: Cursor): string | null {
  const prefix = cursor.u8();
  if (prefix === 0x09) return null;
  if (prefix !== 0x0a) cursor.fail('invalid_prefix', `optional principal ${prefix}`, cursor.offset - 1);
  return readPrincipal(cursor);
}
