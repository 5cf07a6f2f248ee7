/** Transactions as people and contracts of the sample chain would make them, with what a node says of each. */
import {
  decodeAddress,
  encodeClarityAscii,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { type BuiltTx, sha } from '../../test/support/transaction-builder.ts';
import {
  bytes,
  filled,
  longText,
  name,
  standardAuth,
  u32,
  u64,
  wireTransaction,
} from '../../test/support/wire-transaction.ts';

export const DEPLOYER = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD';
const TOKEN_A = `${DEPLOYER}.token-a`;
const TOKEN_B = `${DEPLOYER}.token-b`;
const AMM = `${DEPLOYER}.amm`;

export interface Signature {
  readonly sender: string;
  readonly nonce: number;
  /** In micro-STX. */
  readonly fee: number;
}

type Event = BuiltTx['events'][number];

interface Content {
  readonly payload: Uint8Array;
  readonly events?: readonly Event[];
  readonly fields?: BuiltTx['body'];
}

/** What a call used, as nodes measure it. */
const COST = { runtime: 1_100_000, read_count: 15, read_length: 5_000, write_count: 5, write_length: 130 };

function signed({ payload, events = [], fields = {} }: Content, { sender, nonce, fee }: Signature): BuiltTx {
  const condition = bytes(0x00, hash160(sender), u64(nonce), u64(fee), 0x00, filled(65, 0x01));
  const raw = wireTransaction({
    version: 0x80,
    chainId: 0x80000000,
    auth: standardAuth(condition),
    payload,
    postConditionMode: 1,
  });
  const txId = sha(raw);
  const said = { status: 'success', raw_result: '0x0703', contract_interface: null, execution_cost: COST };
  return {
    txId,
    body: { txid: txId, raw_tx: toHex(raw), ...said, ...fields },
    events: events.map(event => ({ txid: txId, committed: true, ...event })),
  };
}

function hash160(address: string): Uint8Array {
  const decoded = decodeAddress(address);
  if (!decoded) throw new Error(`no address: ${address}`);
  return decoded.hash160;
}

const principalBytes = (address: string): Uint8Array => bytes(0x05, 26, hash160(address));

export function transfer(signature: Signature, recipient: string, amount: number, memo: string): BuiltTx {
  const { sender } = signature;
  const text = bytes(Buffer.from(memo), filled(34 - Buffer.byteLength(memo), 0));
  const moved = { sender, recipient, amount: String(amount), memo: toHex(text).slice(2) };
  return signed(
    {
      payload: bytes(0x00, principalBytes(recipient), u64(amount), text),
      events: [{ type: 'stx_transfer_event', stx_transfer_event: moved }],
    },
    signature,
  );
}

const call = (contract: string, fn: string, args: readonly Uint8Array[]): Uint8Array =>
  bytes(0x02, 26, hash160(DEPLOYER), name(contract), name(fn), u32(args.length), ...args);

const tokenMove = (token: string, sender: string, recipient: string, amount: number): Event => ({
  type: 'ft_transfer_event',
  ft_transfer_event: { asset_identifier: token, sender, recipient, amount: String(amount) },
});

export function tokenTransfer(signature: Signature, recipient: string, amount: number): BuiltTx {
  const { sender } = signature;
  const args = [
    encodeClarityUint(amount),
    encodeClarityPrincipal(sender),
    encodeClarityPrincipal(recipient),
    encodeClarityNone(),
  ];
  const events = [tokenMove(`${TOKEN_A}::tokena`, sender, recipient, amount)];
  return signed({ payload: call('token-a', 'transfer', args), events }, signature);
}

/** A swap of one token for another, with what the pool prints. */
export function swap(signature: Signature, dx: number): BuiltTx {
  const { sender } = signature;
  const dy = Math.floor(dx * 1.8);
  const traded = { dx: encodeClarityUint(dx), dy: encodeClarityUint(dy) };
  const printed = encodeClarityTuple({
    action: encodeClarityAscii('swap-x-for-y'),
    data: encodeClarityTuple({ ...traded, x: encodeClarityPrincipal(TOKEN_A), y: encodeClarityPrincipal(TOKEN_B) }),
    object: encodeClarityAscii('pool'),
  });
  const tokens = [encodeClarityPrincipal(TOKEN_A), encodeClarityPrincipal(TOKEN_B)];
  return signed(
    {
      payload: call('amm', 'swap-x-for-y', [...tokens, encodeClarityUint(dx), encodeClarityNone()]),
      events: [
        tokenMove(`${TOKEN_A}::tokena`, sender, AMM, dx),
        tokenMove(`${TOKEN_B}::tokenb`, AMM, sender, dy),
        {
          type: 'contract_event',
          contract_event: { contract_identifier: AMM, topic: 'print', raw_value: toHex(printed) },
        },
      ],
      fields: {
        raw_result: toHex(bytes(0x07, encodeClarityTuple(traded))),
        execution_cost: { ...COST, read_count: 200 },
      },
    },
    signature,
  );
}

/** A call that fails: one less two. */
export const failure = (signature: Signature): BuiltTx =>
  signed(
    {
      payload: call('faulty', 'subtract', [encodeClarityUint(1), encodeClarityUint(2)]),
      fields: {
        status: 'abort_by_response',
        raw_result: '0x0809',
        vm_error: `ArithmeticUnderflow\n Stack Trace: \n${DEPLOYER}.faulty:subtract\n_native_:native_sub\n`,
      },
    },
    signature,
  );

/** A small contract with a function that greets. */
export function deployment(signature: Signature, contract: string): BuiltTx {
  const source = `;; ${contract}: it greets whoever calls\n(define-read-only (greet (who principal))\n  (ok (print { greeting: "hello", to: who })))\n`;
  const greet = {
    name: 'greet',
    access: 'read_only',
    args: [{ name: 'who', type: 'principal' }],
    outputs: {
      type: {
        response: {
          ok: {
            tuple: [
              { name: 'greeting', type: { 'string-ascii': { length: 5 } } },
              { name: 'to', type: 'principal' },
            ],
          },
          error: 'none',
        },
      },
    },
  };
  const contract_interface = {
    functions: [greet],
    variables: [],
    maps: [],
    fungible_tokens: [],
    non_fungible_tokens: [],
  };
  return signed({ payload: bytes(0x01, name(contract), longText(source)), fields: { contract_interface } }, signature);
}
