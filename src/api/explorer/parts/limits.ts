/** The limits that the sender of a transaction sets, and why a transaction failed: often because of one of them. */
import type * as Api from '../../routes/records.ts';
import { stx, tokens } from '../format/amounts.ts';
import { nftLink, pathTo, principalLink, shortPrincipal, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { type TokenUnits, unitOf } from './tokens.ts';

/** The limits that a sender sets, in words. */
export function postConditions(tx: Api.Transaction, units: TokenUnits): Html {
  const { post_conditions: conditions, post_condition_mode: mode } = tx;
  const list = conditions.map(condition => html`<li>${conditionText(condition, tx.sender_address, units)}</li>`);
  return html`${list.length > 0 && html`<ul class="conditions">${list}</ul>`}<p>${list.length === 0 && mode === 'allow' ? html`<span class="warn">⚠ It set none: anything may move.</span>` : modeText(mode)}</p>`;
}

function modeText(mode: string): Html {
  switch (mode) {
    case 'deny':
      return html`Nothing else may move.`;
    case 'allow':
      return html`<span class="warn">⚠ Anything else may move.</span>`;
    case 'originator':
      return html`Nothing else of the sender may move.`;
    default:
      return html`Mode: ${mode}`;
  }
}

/** The asset id of the token of a condition. */
export const assetIdOf = ({ asset }: Api.ConditionRecord): string | undefined =>
  asset && `${asset.contract_address}.${asset.contract_name}::${asset.asset_name}`;

function conditionText(condition: Api.ConditionRecord, sender: string, units: TokenUnits): Html {
  const { address, contract_name }: Api.Merged<typeof condition.principal> = condition.principal;
  const who = principalLink(address === undefined ? sender : contract_name ? `${address}.${contract_name}` : address);
  const { condition_code: code = '', amount = '0', type } = condition;
  const asset = assetIdOf(condition) ?? '';
  if (condition.asset_value) {
    const { hex, repr } = condition.asset_value;
    const thing = nftLink(asset, hex, `${condition.asset?.asset_name} ${repr}`);
    return html`${who} ${NFT_WORDS[code] ?? code} ${thing}`;
  }
  if (type === 'pox') return html`${who} ${code.replaceAll('_', ' ')} (a change of its stacking)`;
  const verb = type === 'staking' ? 'stakes' : 'sends';
  if (code === 'sent_less_than_or_equal_to' && amount === '0') return html`${who} ${verb} none of it`;
  const unit = unitOf(units, asset);
  const much =
    asset === '' ? stx(amount) : html`${tokens(amount, { ...unit, symbol: '' })}${tokenLink(asset, unit.symbol)}`;
  return html`${who} ${verb} ${AMOUNT_WORDS[code] ?? code} <b>${much}</b>`;
}

const AMOUNT_WORDS: Readonly<Record<string, string>> = {
  sent_equal_to: 'exactly',
  sent_greater_than: 'more than',
  sent_greater_than_or_equal_to: 'at least',
  sent_less_than: 'less than',
  sent_less_than_or_equal_to: 'at most',
};

const NFT_WORDS: Readonly<Record<string, string>> = {
  sent: 'gives away',
  not_sent: 'keeps',
  maybe_sent: 'may give away',
};

/** Beginnings of the texts of a node's virtual machine, which differ between its versions. */
const CAUSES: readonly (readonly [begins: RegExp, sentence: string])[] = [
  [/^ArithmeticUnderflow/, 'A sum went below zero; usually an amount or a balance is too small.'],
  [/^ArithmeticOverflow/, 'A sum went above the maximum; usually an amount is too large.'],
  [/^DivisionByZero/, 'A division by zero; often an empty pool.'],
  [/^UnwrapFailure/, 'A value that had to exist did not.'],
  [/^SupplyOverflow/, 'More tokens than allowed.'],
  [/^NoSuchToken/, 'There is no such token.'],
  [/^BadBlockHeight/, 'It asked about a block that does not exist.'],
  [/^Max(Stack|Context)DepthReached/, 'Too many nested calls.'],
  [/^DefunctPoxContract/, 'This stacking contract has ended.'],
  [/^PoxAlreadyLocked/, 'These STX are locked already.'],
  [/^use of unresolved (contract|function)/, 'The contract refers to something that was not there at that block.'],
  [/^Contract '.*' does not exist/, 'The contract that it calls does not exist.'],
  [/^RuntimeCheck|type|trait/i, 'The arguments do not fit the function.'],
];

/**
 * The reason of a failure in words if it is known, otherwise the text of the node; undefined for a transaction that has not failed.
 * @param source of the called contract, where its errors may have names
 */
export function failureReason(tx: Api.Transaction, source: string | undefined): Html | undefined {
  const { tx_status, vm_error, tx_result } = tx;
  if (tx_status !== 'abort_by_response' && tx_status !== 'abort_by_post_condition') return undefined;
  const raw = vm_error && html`<details><summary>The text of the node</summary><pre>${vm_error}</pre></details>`;
  const result = tx_result?.repr ?? '';
  const limit = vm_error && result.startsWith('(err') === false ? brokenLimit(vm_error) : undefined;
  if (limit) return html`<p>${limit}</p>${raw}`;
  const cause = vm_error && CAUSES.find(([begins]) => begins.test(vm_error))?.[1];
  if (cause) return html`<p>${cause}</p>${raw}`;
  const code = result.match(/^\(err (u?-?\d+)\)$/)?.[1];
  if (code !== undefined && tx.contract_call)
    return html`<p>${errorCode(tx.contract_call.contract_id, code, source)}</p>${raw}`;
  if (vm_error) return html`<p>The node gave this reason:</p><pre>${vm_error}</pre>`;
  return html`<p>The contract returned <code>${result}</code>.</p>`;
}

/** The code with its name, where exactly one constant of the contract has it. */
function errorCode(contract: string, code: string, source: string | undefined): Html {
  const name = source === undefined ? undefined : constantOf(source, code);
  const known =
    name &&
    html`, which its source calls <a href="${pathTo('contract', contract, 'source')}#L${name.line}"><b>${name.name}</b></a>`;
  return html`${principalLink(contract)} failed with error ${code}${known}.`;
}

/** The constant with this error code: `(define-constant ERR_NAME (err u4))`, or the bare number. */
function constantOf(source: string, code: string): { readonly name: string; readonly line: number } | undefined {
  const pattern = /\(define-constant\s+([^\s()]+)\s+(?:\(err\s+(u?-?\d+)\)|(u?-?\d+))\s*\)/g;
  const all = [...source.matchAll(pattern)].filter(match => (match[2] ?? match[3]) === code);
  const errors = all.filter(match => match[2] !== undefined || /^e(rr)?/i.test(match[1] ?? ''));
  const [found] = errors;
  if (errors.length !== 1 || found === undefined) return undefined;
  return { name: found[1] ?? '', line: source.slice(0, found.index).split('\n').length };
}

/** The limit of the sender that stopped the transaction, if the text of the node names it. */
function brokenLimit(text: string): Html | undefined {
  const unchecked = text.match(/: (?:Fungible|Non-fungible) asset (\S+) was moved by (\S+) but not checked/);
  if (unchecked) {
    const [, asset = '', who = ''] = unchecked;
    return html`${principalLink(who)} would have sent <b>${asset === 'STX' ? 'STX' : shortPrincipal(asset)}</b>, and no limit allowed it.`;
  }
  const limit = text.match(/failure on (STX|(?:non-)?fungible asset (\S+)) owned by (\S+): (\S+) (\w+) (\S+)/);
  if (!limit) return undefined;
  const [, , asset, who = '', , comparison = '', actual = ''] = limit;
  const required = limit[4];
  return html`${principalLink(who)} was to send ${COMPARISONS[comparison] ?? comparison} ${required} ${asset ? shortPrincipal(asset) : 'µSTX'}, and would have sent ${actual}.`;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  SentEq: 'exactly',
  SentGt: 'more than',
  SentGe: 'at least',
  SentLt: 'less than',
  SentLe: 'at most',
};
