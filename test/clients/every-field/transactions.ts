/** Transactions of every type in every manner: whatever a record has a place for is in one of them, also what no node would let pass. */
import { encodeClarityAscii, encodeClarityTuple, encodeClarityUint } from '../../../src/base/codec/index.ts';
import { toHex } from '../../../src/base/lib/hex.ts';
import { SEND_MANY } from '../../chains/transactions.ts';
import { signedTx } from '../../support/pending-transactions.ts';
import { sampleFunction, sampleInterface, sampleMove, samplePrint } from '../../support/sample-contracts.ts';
import { lockEvent } from '../../support/staking-prints.ts';
import { accountAddress, type BuiltTx, tenureChangePayload } from '../../support/transaction-builder.ts';
import { bytes, filled, longText, name, standardPrincipal, u32, u64 } from '../../support/wire-transaction.ts';

const VERSION = 26;
export const [RECIPIENT, SPONSOR, OWNER] = [7, 40, 9];
export const CONTRACT = `${accountAddress(OWNER)}.every`;
export const [FT, NFT] = [`${CONTRACT}::coin`, `${CONTRACT}::badge`];
export const TOKEN = toHex(encodeClarityUint(1));
/** Beyond all that this program knows. */
const UNKNOWN = 99;

const recipient = standardPrincipal(VERSION, RECIPIENT);
const argument = bytes(u32(1), encodeClarityUint(1));
/** The three ways to name the principal of a condition. */
const PRINCIPALS = [
  bytes(0x01),
  bytes(0x02, VERSION, filled(20, RECIPIENT)),
  bytes(0x03, VERSION, filled(20, OWNER), name('every')),
];
const principalOf = (i: number): Uint8Array => PRINCIPALS[i % PRINCIPALS.length] ?? bytes();
/** Conditions of the five kinds, with every code, of every kind of principal. */
const CONDITIONS: readonly Uint8Array[] = [
  ...[1, 2, 3, 4, 5].flatMap((code, i) => [
    bytes(0x00, principalOf(i), code, u64(1)),
    bytes(0x01, principalOf(i), asset(), code, u64(2)),
    bytes(0x03, principalOf(i), code, u64(3)),
  ]),
  ...[16, 17, 18, UNKNOWN].map((code, i) => bytes(0x02, principalOf(i), asset(), encodeClarityUint(1), code)),
  ...[48, 49, 50, UNKNOWN].map((code, i) => bytes(0x04, principalOf(i), code)),
];

function asset(): Uint8Array {
  return bytes(VERSION, filled(20, OWNER), name('every'), name('coin'));
}

/** What can befall a transaction, with a mode each. */
const MANNERS = [
  { status: 'success', mode: 1, sponsored: false },
  { status: 'abort_by_response', mode: 2, sponsored: true },
  { status: 'abort_by_post_condition', mode: 3, sponsored: true },
  { status: 'problematic_skipped', mode: UNKNOWN, sponsored: false },
] as const;

type Manner = (typeof MANNERS)[number];

const nameOf = (status: Manner['status']): string => status.replaceAll('_', '-');

/** Every payload that users send. @param unique part of contract names, so that no contract is deployed twice */
const ofUsers = (unique: string): Uint8Array[] => [
  bytes(0x00, recipient, u64(1_000), 'thanks', filled(28, 0)),
  bytes(0x01, name(`${unique}-0`), longText('(print u1)')),
  ...[1, 2, 3, 4, 5, 6].map(clarity => bytes(0x06, clarity, name(`${unique}-${clarity}`), longText('(print u1)'))),
  bytes(0x02, VERSION, filled(20, OWNER), name('every'), name('go'), argument),
  bytes(0x03, filled(132, 1), filled(132, 2)),
];

/** Every payload of miners: coinbases of three epochs, with another recipient and without, and every cause to change a tenure. */
const ofMiners = (burnView: string): Uint8Array[] => [
  bytes(0x04, filled(32, 1)),
  bytes(0x05, filled(32, 1), recipient),
  bytes(0x08, filled(32, 1), 0x09, filled(80, 3)),
  bytes(0x08, filled(32, 1), 0x0a, recipient, filled(80, 3)),
  ...[0, 1, 2, 3, 4, 5, 6, UNKNOWN].map(cause => tenureChangePayload(burnView, cause)),
];

const stx = { sender: accountAddress(OWNER), recipient: accountAddress(RECIPIENT), amount: '5' };
const { sender, ...received } = stx;
const coins = { asset_identifier: FT, ...stx };
/** An event of every kind, a transfer with a memo and without. */
const EVENTS: BuiltTx['events'] = [
  samplePrint(CONTRACT, toHex(encodeClarityAscii('hello'))),
  lockEvent(accountAddress(OWNER), 1_000, 5_000),
  // With the memo of a wallet's payment to many behind it, it is listed among what came in.
  { type: 'stx_mint_event', stx_mint_event: received },
  samplePrint(SEND_MANY, TOKEN),
  { type: 'stx_transfer_event', stx_transfer_event: { ...stx, memo: '68690a' } },
  { type: 'stx_transfer_event', stx_transfer_event: { ...stx, memo: '' } },
  { type: 'stx_burn_event', stx_burn_event: { sender, amount: '5' } },
  ...[FT, `${CONTRACT}::gold`].map(asset_identifier => ({
    type: 'ft_mint_event',
    ft_mint_event: { asset_identifier, ...received },
  })),
  { type: 'ft_transfer_event', ft_transfer_event: coins },
  { type: 'ft_burn_event', ft_burn_event: { asset_identifier: FT, sender, amount: '1' } },
  sampleMove(NFT, TOKEN, null, sender),
  sampleMove(NFT, TOKEN, sender, stx.recipient),
  sampleMove(NFT, TOKEN, stx.recipient, null),
  sampleMove(NFT, TOKEN, null, sender),
  samplePrint(CONTRACT, toHex(encodeClarityTuple({ event: encodeClarityAscii('hello') }))),
];

/** Who sends them, so that no two sets of one chain have the same; and the consensus hash that tenure changes name: without it, nothing is of miners. */
interface Choice {
  readonly from: number;
  readonly burnView?: string;
}

/** Each payload in each manner. */
export const everyTransaction = ({ from, burnView }: Choice): BuiltTx[] =>
  MANNERS.flatMap((manner, m) => {
    const payloads = [...ofUsers(nameOf(manner.status)), ...(burnView === undefined ? [] : ofMiners(burnView))];
    return payloads.map((payload, i) => made(payload, manner, { from, nonce: m * payloads.length + i }));
  });

/** A contract that declares its Clarity version, deployed by one of these transactions. */
export const deployedBy = (from: number, status: Manner['status']): string =>
  `${accountAddress(from)}.${nameOf(status)}-6`;

/** One of each payload of users, in the first manner. */
export const oneOfEach = (choice: Pick<Choice, 'from'>): BuiltTx[] =>
  everyTransaction(choice).filter(tx => tx.body.status === MANNERS[0].status);

function made(
  payload: Uint8Array,
  { status, mode, sponsored }: Manner,
  { from, nonce }: { readonly from: number; readonly nonce: number },
): BuiltTx {
  const tx = signedTx(payload, {
    ...{ from, nonce, anchorMode: mode, postConditionMode: mode, postConditions: mode === 1 ? [] : CONDITIONS },
    ...(sponsored && { sponsor: { from: SPONSOR, nonce: from * 1_000 + nonce } }),
  });
  if (status !== 'success') {
    const failed = { status, raw_result: `0x08${TOKEN.slice(2)}`, vm_error: 'Runtime(DivisionByZero)' };
    return { ...tx, body: { ...tx.body, ...failed } };
  }
  const [type] = payload;
  const deployed = type === 0x01 || type === 0x06;
  return {
    ...tx,
    body: {
      ...tx.body,
      ...(deployed && {
        contract_interface: sampleInterface([sampleFunction('go', 'uint128'), sampleFunction('give')]),
      }),
    },
    events: EVENTS.map(event => ({ txid: tx.txId, committed: true, ...event })),
  };
}
