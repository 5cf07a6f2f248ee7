/** Explanations of statuses, wallet errors and terms. A search for one of these texts opens its entry on the help page. */
import { type Html, html } from '../html.ts';

interface HelpEntry {
  /** The anchor on the page: for a status, the status itself. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Texts of nodes and wallets, compared without case, blanks, `-` and `_`; a search for one of them finds the entry. */
  readonly also: readonly string[];
}

export const STATUS_HELP: readonly HelpEntry[] = [
  {
    id: 'success',
    title: 'Confirmed',
    text: 'A block of the chain has the transaction, and it took effect. Confirmations count that block and the blocks on top of it; the more there are, the less likely a fork removes it.',
    also: ['confirmed'],
  },
  {
    id: 'pending',
    title: 'Pending',
    text: 'The transaction is in the mempool and waits for a block. Its page shows what delays it: an earlier nonce that is missing or pending, the balance, or a low fee. Nodes drop a transaction that no block takes after about 2,560 minutes.',
    also: ['waiting', 'unconfirmed', 'stuck'],
  },
  {
    id: 'abort_by_post_condition',
    title: 'Failed: aborted by post-condition',
    text: 'Post-conditions are limits that the sender’s wallet adds: how much an account may or must send. The call ran, but its transfers did not fit them, so the node undid all of its effects. The fee was paid. Often a price moved more than the slippage that the wallet allows: try again with a fresh quote.',
    also: [
      'aborted by post condition',
      'post-condition',
      'post-conditions',
      'post-condition check failure',
      'slippage',
    ],
  },
  {
    id: 'abort_by_response',
    title: 'Failed: aborted by response',
    text: 'The contract returned an error, the code stopped with one, or a deployment did not pass the checks of the node. The transaction had no effect, and the fee was paid. Its page names the error if the source of the contract does.',
    also: ['aborted by response', 'contract error', 'runtime error'],
  },
  {
    id: 'dropped_replace_by_fee',
    title: 'Replaced by fee',
    text: 'The same account sent another transaction with the same nonce and a higher fee. Only one of them can be mined; this one had no effect, and no fee was paid for it.',
    also: ['replace by fee', 'rbf'],
  },
  {
    id: 'dropped_replace_across_fork',
    title: 'Replaced across a fork',
    text: 'After a fork, another transaction with the same nonce took the place of this one. It had no effect, and no fee was paid for it.',
    also: ['replace across fork'],
  },
  {
    id: 'dropped_too_expensive',
    title: 'Dropped: too expensive',
    text: 'The transaction needs more of the budget for computing, reading or writing than a block has. Send a smaller one, for example with fewer recipients.',
    also: ['too expensive', 'TransactionTooLarge', 'CostOverflow', 'block limit'],
  },
  {
    id: 'dropped_stale_garbage_collect',
    title: 'Dropped: expired',
    text: 'No block took the transaction for about 2,560 minutes, so nodes dropped it. It had no effect, and no fee was paid: send it again, with a higher fee.',
    also: ['stale garbage collect', 'expired'],
  },
  {
    id: 'dropped_problematic',
    title: 'Dropped: problematic',
    text: 'The transaction is a burden for nodes, so they refuse to keep it. It had no effect, and no fee was paid.',
    also: ['problematic'],
  },
  {
    id: 'problematic_skipped',
    title: 'Skipped',
    text: 'A block has the transaction, but the miner skipped it because it is a burden for nodes. It had no effect; its fee and nonce are used.',
    also: ['problematic skipped', 'skipped'],
  },
  {
    id: 'orphaned',
    title: 'Orphaned',
    text: 'Two blocks claimed one place, and the chain went on with the other. Transactions of an orphaned block are usually mined again in another block.',
    also: ['non canonical', 'noncanonical', 'not canonical', 'orphan', 'reorg', 'fork'],
  },
];

export const REJECTION_HELP: readonly HelpEntry[] = [
  {
    id: 'NotEnoughFunds',
    title: 'NotEnoughFunds',
    text: 'The account cannot pay the amount and the fee. Locked (stacked) STX do not count.',
    also: ['not enough funds', 'insufficient funds', 'insufficient balance'],
  },
  {
    id: 'BadNonce',
    title: 'BadNonce',
    text: 'The nonce is used already, or it is too far ahead of the next one. The page of an account shows its next nonce and those that are missing.',
    also: ['bad nonce', 'nonce too low', 'nonce too high', 'invalid nonce'],
  },
  {
    id: 'ConflictingNonceInMempool',
    title: 'ConflictingNonceInMempool',
    text: 'A pending transaction of the account has the same nonce. A replacement needs a higher fee than that one has.',
    also: ['conflicting nonce in mempool', 'conflicting nonce'],
  },
  {
    id: 'TooMuchChaining',
    title: 'TooMuchChaining',
    text: 'The account has too many pending transactions in a row: a node keeps 25. Wait until some of them are confirmed.',
    also: ['too much chaining'],
  },
  {
    id: 'FeeTooLow',
    title: 'FeeTooLow',
    text: 'The fee is below the least fee of the node, 1 µSTX for each byte. The mempool page shows which fees are confirmed now.',
    also: ['fee too low', 'fee rate too low'],
  },
  {
    id: 'ContractAlreadyExists',
    title: 'ContractAlreadyExists',
    text: 'The account has deployed a contract of this name. Contracts cannot be changed: choose another name.',
    also: ['contract already exists'],
  },
  {
    id: 'NoSuchContract',
    title: 'NoSuchContract',
    text: 'The contract does not exist on this network. Check its id, and whether it is of mainnet (SP) or of a test network (ST).',
    also: ['no such contract', 'contract not found'],
  },
  {
    id: 'NoSuchPublicFunction',
    title: 'NoSuchPublicFunction',
    text: 'The contract has no public function of this name. Its page lists those that it has.',
    also: ['no such public function', 'no such function', 'undefined function'],
  },
  {
    id: 'BadFunctionArgument',
    title: 'BadFunctionArgument',
    text: 'The number or the types of the arguments do not fit the function. The page of the contract shows them.',
    also: ['bad function argument', 'type error', 'TypeValueError', 'RuntimeCheck'],
  },
  {
    id: 'TransferRecipientCannotEqualSender',
    title: 'TransferRecipientCannotEqualSender',
    text: 'STX cannot be sent from an account to itself.',
    also: ['transfer recipient cannot equal sender', 'recipient cannot equal sender'],
  },
  {
    id: 'TransferAmountMustBePositive',
    title: 'TransferAmountMustBePositive',
    text: 'A transfer must send at least 1 µSTX.',
    also: ['transfer amount must be positive'],
  },
  {
    id: 'BadAddressVersionByte',
    title: 'BadAddressVersionByte',
    text: 'An address is of another network: SP and SM addresses are of mainnet, ST and SN addresses of test networks.',
    also: ['bad address version byte', 'invalid address version', 'wrong network'],
  },
  {
    id: 'SignatureValidation',
    title: 'SignatureValidation',
    text: 'The signature does not fit the transaction: it may be signed for another network, or changed after signing.',
    also: ['signature validation', 'invalid signature', 'bad signature'],
  },
];

export const TERM_HELP: readonly HelpEntry[] = [
  {
    id: 'nonce',
    title: 'Nonce',
    text: 'The number of a transaction within its account, from 0 on. Transactions of an account are mined in the order of their nonces, without gaps.',
    also: [],
  },
  {
    id: 'fee-rate',
    title: 'Fee rate',
    text: 'The fee divided by the size of the transaction, in µSTX a byte. 1 STX is 1,000,000 µSTX. Miners choose by fee and by the share of the budget that a transaction uses.',
    also: ['fee rate', 'feerate'],
  },
  {
    id: 'confirmations',
    title: 'Confirmations',
    text: 'The block of a transaction and the blocks on top of it. Stacks blocks become as final as Bitcoin once Bitcoin blocks are on top of theirs.',
    also: ['confirmation', 'finality'],
  },
  {
    id: 'tenure',
    title: 'Tenure',
    text: 'The time of one miner, chosen by a Bitcoin block: all Stacks blocks of the tenure belong to that Bitcoin block and share one budget of cost.',
    also: ['tenure change', 'tenure extend'],
  },
  {
    id: 'anchor',
    title: 'Bitcoin block (anchor)',
    text: 'The Bitcoin block in which the election of the miner of a Stacks block was: it anchors the Stacks blocks of its tenure in Bitcoin. To replace them, a fork would have to replace that Bitcoin block, once others are on top of it.',
    also: ['anchor', 'anchor block', 'anchored', 'anchor Bitcoin block', 'burn block', 'burnchain block'],
  },
  {
    id: 'miner-reward',
    title: 'Miner reward',
    text: 'What the miner of a tenure gets: new STX (the coinbase) and the fees of the tenure. It is paid a hundred tenures later.',
    also: ['coinbase', 'block reward'],
  },
  {
    id: 'reward-cycle',
    title: 'Reward cycle',
    text: 'Stacking runs in cycles of Bitcoin blocks: those who lock STX for a cycle are paid in Bitcoin during it. In its prepare phase, at its end, the signers of the next cycle are found.',
    also: ['reward cycle', 'pox cycle', 'prepare phase'],
  },
];

/** The label of the Bitcoin block of a Stacks block or a transaction. */
export const ANCHOR: Html = html`Bitcoin block <a href="help#anchor" title="The Bitcoin block that anchors the Stacks block: where its miner was elected">(anchor)</a>`;

const ALL: readonly HelpEntry[] = [...STATUS_HELP, ...REJECTION_HELP, ...TERM_HELP];

/** A visitor's text in the form for comparisons: without case, blanks, `-` and `_`. */
export const plainWords = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');

const ENTRIES = new Map(
  ALL.flatMap(entry => [entry.id, entry.title, ...entry.also].map(text => [plainWords(text), entry] as const)),
);

/** Names that are searched within longer texts, the longest first: the longest name found counts. */
const NAMES = [...ENTRIES.keys()].filter(name => name.length >= 8).sort((a, b) => b.length - a.length);

/**
 * The entry that a text names: by one of its texts exactly, or, in a message of several words, by the longest text in it.
 * @param text of a visitor
 */
export function helpFor(text: string): { readonly id: string; readonly title: string } | undefined {
  const searched = plainWords(text);
  const exact = ENTRIES.get(searched);
  if (exact) return exact;
  if (!/\s|[{":]/.test(text.trim())) return undefined;
  const held = NAMES.find(name => searched.includes(name));
  return held === undefined ? undefined : ENTRIES.get(held);
}
