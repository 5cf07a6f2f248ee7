import type * as Api from '../../routes/records.ts';
import { pathTo, principalLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { causeOf, stackingError } from '../words/failures.ts';
import { isContractError } from '../words/states.ts';
import { BOOT } from './known-calls.ts';
import { brokenConditionText } from './post-conditions.ts';
import type { TokenUnits } from './tokens.ts';

/**
 * Why a transaction failed: in words if the cause is known, otherwise the message of the node; undefined for a transaction that
 * has not failed.
 * @param source of the called contract, which may name its errors
 */
export function failureReason(tx: Api.Transaction, source: string | undefined, units: TokenUnits): Html | undefined {
  const { tx_status, vm_error, tx_result } = tx;
  if (tx_status !== 'abort_by_response' && tx_status !== 'abort_by_post_condition') return undefined;
  const raw = vm_error && html`<details><summary>Message of the node</summary><pre>${vm_error}</pre></details>`;
  const broken = isContractError(tx) ? undefined : brokenConditionText(tx, units);
  if (broken) return html`<p>${broken}</p>${raw}`;
  const cause = causeOf(tx);
  if (cause) return html`<p>${cause}</p>${raw}`;
  const result = tx_result?.repr ?? '';
  const code = result.match(/^\(err (u?-?\d+)\)$/)?.[1];
  if (code !== undefined && tx.contract_call)
    return html`<p>${errorCode(tx.contract_call.contract_id, code, source)}</p>${raw}`;
  if (vm_error) return html`<p>The node gave this reason:</p><pre>${vm_error}</pre>`;
  return result === '' ? html`<p>The node gave no reason.</p>` : html`<p>It returned <code>${result}</code>.</p>`;
}

/** The code with its name, if exactly one constant of the contract has it, or with its meaning. */
function errorCode(contract: string, code: string, source: string | undefined): Html {
  const [address = '', name = ''] = contract.split('.');
  const meaning = BOOT.includes(address) ? stackingError(name, code) : undefined;
  const constant = source === undefined ? undefined : constantOf(source, code);
  const known =
    constant &&
    html`, which its source names <a href="${pathTo('contract', contract, 'source')}#L${constant.line}"><b>${constant.name}</b></a>`;
  return html`${principalLink(contract)} returned error ${code}${known}${meaning !== undefined && `: ${meaning}`}.`;
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
