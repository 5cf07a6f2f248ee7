import {
  encodeClarityAscii,
  encodeClarityBuffer,
  encodeClarityPrincipal,
  encodeClarityTuple,
  encodeClarityUint,
} from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import { signedTx } from '../support/pending-transactions.ts';
import { sampleFunction, sampleInterface, sampleMove, samplePrint } from '../support/sample-contracts.ts';
import { accountAddress, type BuiltTx, tenureChangePayload } from '../support/transaction-builder.ts';
import { bytes, filled, longText, name, standardPrincipal, u32, u64 } from '../support/wire-transaction.ts';
import { bondEvents } from './bond-operations.ts';
import { Ledger } from './ledger.ts';
import { bns2Events, nameEvents } from './name-operations.ts';
import type { TxPlan } from './plan.ts';
import { poxEvents } from './pox-operations.ts';
import { stakingEvents } from './staking-operations.ts';

/** A transaction that may be mined, with what must be known to mine it on another branch or to announce it. */
export interface MadeTx {
  readonly tx: BuiltTx;
  readonly from: number;
  readonly nonce: number;
  readonly sponsor: { readonly from: number; readonly nonce: number } | undefined;
  /** The contract that it deploys, and the one that it calls. */
  readonly deploys: string | undefined;
  readonly calls: string | undefined;
  /** Its events are the same on whatever branch it is mined. */
  readonly movable: boolean;
}

type Event = BuiltTx['events'][number];

interface Content {
  readonly payload: Uint8Array;
  readonly events: readonly Event[];
  readonly contractInterface?: unknown;
  readonly deploys?: string;
  readonly calls?: string;
  readonly movable?: boolean;
}

/** The accounts of a plan: senders 10 to 14, two more that only receive. */
export const SENDERS = 5;
export const accountOf = (choice: number): number => 10 + choice;
export const ACCOUNTS: readonly number[] = Array.from({ length: 7 }, (_, i) => accountOf(i));
const SPONSOR = 40;
export const DEPLOYER = 20;
export const CONTRACT_NAMES = ['vault', 'token', 'relay'] as const;
export const FUNCTION_NAMES = ['ping', 'deposit', 'swap'] as const;
export const contractId = (contract: string): string => `${accountAddress(DEPLOYER)}.${contract}`;
export const NFT_ASSET = `${contractId('token')}::badge`;
export const FT_ASSET = `${contractId('token')}::coin`;
const uintHex = (value: number): string => toHex(encodeClarityUint(value));
/** `(err u1)` */
const ERROR_ONE = `0x08${uintHex(1).slice(2)}`;
/** The contract by which wallets pay many at once. */
export const SEND_MANY = 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo';
const FUNDS = 1_000_000_000_000;

const pick = <T>(items: readonly [T, ...T[]], n: number): T => items[n % items.length] ?? items[0];

const transferPayload = (to: number, amount: number): Uint8Array =>
  bytes(0x00, standardPrincipal(26, to), u64(amount), filled(34, 0));

interface Call {
  readonly contract: string;
  readonly fn: string;
  readonly argument: number;
}

const callPayload = ({ contract, fn, argument }: Call): Uint8Array =>
  bytes(0x02, 26, filled(20, DEPLOYER), name(contract), name(fn), u32(1), encodeClarityUint(argument));

export const stxTransfer = (sender: string, recipient: string, amount: number, memo = '00'.repeat(34)): Event => ({
  type: 'stx_transfer_event',
  stx_transfer_event: { sender, recipient, amount: String(amount), memo },
});
const stxMint = (recipient: string, amount: number): Event => ({
  type: 'stx_mint_event',
  stx_mint_event: { recipient, amount: String(amount) },
});
const stxBurn = (sender: string, amount: number): Event => ({
  type: 'stx_burn_event',
  stx_burn_event: { sender, amount: String(amount) },
});
const ftEvent = (action: 'mint' | 'transfer' | 'burn', sender: string, recipient: string, amount: number): Event => ({
  type: `ft_${action}_event`,
  [`ft_${action}_event`]: {
    asset_identifier: FT_ASSET,
    amount: String(amount),
    ...(action !== 'mint' && { sender }),
    ...(action !== 'burn' && { recipient }),
  },
});

interface Making {
  readonly from: number;
  readonly to: number;
  readonly n: number;
  readonly failed: boolean;
  readonly ledger: Ledger;
}

/** Kinds of transactions; a plan names one by its place. */
const KINDS: readonly [(making: Making) => Content, ...((making: Making) => Content)[]] = [
  transfer,
  transfer,
  paidCall,
  making => called(making, [stxMint(accountAddress(making.to), making.n + 1)]),
  making => called(making, [stxBurn(accountAddress(making.from), making.n + 1)]),
  making => called(making, poxEvents(making, 0)),
  fungible,
  nonFungible,
  nonFungible,
  making => called(making, [samplePrint(contractId(contractOf(making.n)), toHex(printed(making)))]),
  deployment,
  making => called(making, []),
  making => called(making, poxEvents(making, making.n)),
  making => called(making, poxEvents(making, making.n)),
  making => ({ ...called(making, nameEvents(making)), movable: false }),
  making => called(making, stakingEvents(making)),
  making => ({ ...called(making, bns2Events(making)), movable: false }),
  making => called(making, stakingEvents(making)),
  making => called(making, bondEvents(making)),
  making => called(making, bondEvents(making)),
  making => called(making, making.n % 16 === 15 ? manySent(making) : sentToMany(making)),
];
export const NAME_KIND = 14;

const contractOf = (n: number): string => pick(CONTRACT_NAMES, n);

/** A call of a contract; while the intended contract does not exist, of one that is never deployed. */
function called({ n, ledger }: Making, events: readonly Event[]): Content {
  const contract = contractOf(n);
  const argument = { fn: pick(FUNCTION_NAMES, n >> 2), argument: n };
  if (!ledger.isDeployed(contract)) return { payload: callPayload({ contract: 'nowhere', ...argument }), events };
  return { payload: callPayload({ contract, ...argument }), events, calls: contract };
}

/** Topics of prints. */
export const LOG_TOPICS = ['deposit', 'a, b: 100 %', 'swap'] as const;

/** A number, or a tuple with a topic: in one member or two, with principals, too long, or no text. */
function printed({ from, to, n }: Making): Uint8Array {
  if (n % 4 === 0) return encodeClarityUint(n);
  const topic = encodeClarityAscii(pick(LOG_TOPICS, n >> 2));
  const [sender, recipient] = [from, to].map(account => encodeClarityPrincipal(accountAddress(account)));
  return encodeClarityTuple({
    [n % 3 === 0 ? 'action' : 'topic']: topic,
    ...(n % 5 === 0 && { event: n % 2 === 0 ? encodeClarityUint(n) : encodeClarityAscii('long'.repeat(17)) }),
    ...(n % 7 === 0 && { event: encodeClarityAscii('burn') }),
    ...(sender && { 'by-whom': sender, nested: encodeClarityTuple({ event: topic, sender }) }),
    ...(recipient && n % 2 === 0 && { recipient }),
    ...(recipient && n % 11 === 0 && { a1: recipient, a2: recipient, contract: encodeClarityPrincipal(SEND_MANY) }),
  });
}

function transfer({ from, to, n }: Making): Content {
  return {
    payload: transferPayload(to, n + 1),
    events: [stxTransfer(accountAddress(from), accountAddress(to), n + 1)],
  };
}

/** STX into a contract and on to another account. */
function paidCall(making: Making): Content {
  const vault = contractId('vault');
  return called(making, [
    stxTransfer(accountAddress(making.from), vault, 2 * making.n + 2),
    stxTransfer(vault, accountAddress(making.to), making.n + 1),
  ]);
}

/** Two transfers with a memo each: of its own, or printed after it by the contract of wallets, also as a value that is no buffer. */
function sentToMany({ from, to, n }: Making): Event[] {
  const noted = (memo: string) => stxTransfer(accountAddress(from), accountAddress(to), n + 1, memo);
  const printed =
    n % 2 === 0 ? encodeClarityBuffer(Buffer.from(n % 4 === 0 ? `thanks ${n}` : '')) : encodeClarityUint(n);
  return [
    noted(n % 3 === 0 ? '' : '68690a6d'),
    samplePrint(SEND_MANY, toHex(printed)),
    noted(n % 5 === 0 ? '' : 'ff41'),
  ];
}

/** Events at the borders of the parts in which they are stored, of 200 each (src/index/transactions/events.ts). */
const MANY = [401, 200, 199, 201] as const;

function manySent(making: Making): Event[] {
  const count = pick(MANY, making.n >> 4);
  const some = sentToMany(making);
  return Array.from({ length: count }, (_, i) => some[i % some.length]).filter(event => event !== undefined);
}

function fungible(making: Making): Content {
  const [sender, recipient] = [accountAddress(making.from), accountAddress(making.to)];
  const all = [
    ftEvent('mint', sender, sender, 3 * making.n + 3),
    ftEvent('transfer', sender, recipient, making.n + 1),
    ftEvent('burn', sender, sender, making.n + 1),
  ];
  return called(making, all.slice(0, 1 + (making.n % 3)));
}

/** The token is minted first; its owner gives or burns it, whichever account sends the transaction. */
function nonFungible(making: Making): Content {
  const { to, n, ledger, failed } = making;
  const value = uintHex(n % 4);
  const token = `${NFT_ASSET} ${value}`;
  const owner = ledger.ownerOf(token);
  const next = owner !== undefined && n % 5 === 0 ? null : to;
  const event = sampleMove(
    NFT_ASSET,
    value,
    owner === undefined ? null : accountAddress(owner),
    next === null ? null : accountAddress(next),
  );
  if (!failed) ledger.give(token, next);
  return { ...called(making, [event]), movable: false };
}

function deployment(making: Making): Content {
  const { n, ledger, failed } = making;
  const contract = contractOf(n);
  if (ledger.isDeployed(contract)) return called(making, []);
  if (!failed) ledger.deploy(contract);
  const functions = FUNCTION_NAMES.slice(0, 1 + (n % 3)).map((fn, i) =>
    sampleFunction(fn, ...['uint128', 'bool'].slice(0, (n + i) % 3)),
  );
  return {
    payload: bytes(0x01, name(contract), longText(`(print u${n})`)),
    events: [],
    contractInterface: failed ? null : sampleInterface(functions),
    deploys: contract,
  };
}

/** A transaction that follows those of a ledger, which it changes. */
export function makeTx(plan: TxPlan, ledger: Ledger): MadeTx {
  const made = draftTx(plan, ledger);
  confirm(made, ledger);
  return made;
}

/** One that is only announced: its nonce is so far ahead, and the ledger stays as it is. */
export const announceableTx = (plan: TxPlan, ledger: Ledger, ahead: number): MadeTx =>
  draftTx(plan, new Ledger(ledger), ahead);

/** True when a transaction made for another branch, or announced, can be mined after those of this ledger. */
export const isMinable = ({ tx, from, nonce, sponsor, deploys, calls, movable }: MadeTx, ledger: Ledger): boolean =>
  movable &&
  !ledger.isMined(tx.txId) &&
  nonce >= ledger.nextNonce(from) &&
  (sponsor === undefined || sponsor.nonce >= ledger.nextNonce(sponsor.from)) &&
  (deploys === undefined || !ledger.isDeployed(deploys)) &&
  (calls === undefined || ledger.isDeployed(calls));

/** Notes in a ledger that a transaction is mined. */
export function confirm({ tx, from, nonce, sponsor, deploys }: MadeTx, ledger: Ledger): void {
  ledger.mine(tx.txId);
  ledger.use(from, nonce);
  if (sponsor) ledger.use(sponsor.from, sponsor.nonce);
  if (deploys !== undefined && tx.body.status === 'success') ledger.deploy(deploys);
}

function draftTx(plan: TxPlan, ledger: Ledger, ahead = 0): MadeTx {
  const { kind, n, failed } = plan;
  const isDeployment = KINDS[kind] === deployment;
  const from = isDeployment ? DEPLOYER : accountOf(plan.from);
  const make = pick(KINDS, kind);
  const content = make({ from, to: accountOf(plan.to), n, failed, ledger });
  const nonce = ledger.nextNonce(from) + ahead;
  const sponsor = plan.sponsored ? { from: SPONSOR, nonce: ledger.nextNonce(SPONSOR) + ahead } : undefined;
  return {
    tx: finished(
      content,
      failed,
      signedTx(content.payload, { from, nonce, fee: 100 + n, ...(sponsor && { sponsor }) }),
    ),
    from,
    nonce,
    sponsor,
    deploys: content.deploys,
    calls: content.calls,
    movable: content.movable ?? true,
  };
}

/** With what a node says of it. Older nodes also name the events of what was rolled back. */
function finished({ events, contractInterface = null }: Content, failed: boolean, tx: BuiltTx): BuiltTx {
  const status = failed ? 'abort_by_response' : 'success';
  const raw_result = failed ? ERROR_ONE : '0x0703';
  return {
    ...tx,
    body: { ...tx.body, status, raw_result, contract_interface: contractInterface },
    events: events.map(event => ({ txid: tx.txId, committed: !failed, ...event })),
  };
}

/** @param burnView consensus hash  @param begins whether it begins a tenure, or extends one */
export const makeTenureChange = (burnView: string, begins: boolean, ledger: Ledger): MadeTx =>
  makeMinerTx(tenureChangePayload(burnView, begins ? 0 : 1), ledger);

/** @param unique 32 bytes that no other coinbase has */
export const makeCoinbase = (unique: Uint8Array, ledger: Ledger): MadeTx => makeMinerTx(bytes(0x04, unique), ledger);

function makeMinerTx(payload: Uint8Array, ledger: Ledger): MadeTx {
  const from = 1;
  const nonce = ledger.nextNonce(from);
  const tx = signedTx(payload, { from, nonce, fee: 0 });
  const made = { tx, from, nonce, sponsor: undefined, deploys: undefined, calls: undefined, movable: false };
  confirm(made, ledger);
  return made;
}

/** The first transaction of a first block: every account has STX to spend. */
export function makeFunding(ledger: Ledger): MadeTx {
  const from = 1;
  const nonce = ledger.nextNonce(from);
  const accounts = [...ACCOUNTS, DEPLOYER, SPONSOR];
  const content = {
    payload: callPayload({ contract: 'nowhere', fn: 'fund', argument: 0 }),
    events: accounts.map(account => stxMint(accountAddress(account), FUNDS)),
  };
  const tx = finished(content, false, signedTx(content.payload, { from, nonce, fee: 0 }));
  const made = { tx, from, nonce, sponsor: undefined, deploys: undefined, calls: undefined, movable: true };
  confirm(made, ledger);
  return made;
}
