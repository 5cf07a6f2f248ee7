/** The post-conditions of a transaction, each with whether it was met. */
import type * as Api from '../../routes/records.ts';
import { stx, tokens } from '../format/amounts.ts';
import { assetParts, nftLink, principalLink, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { isContractError } from '../words/states.ts';
import { type TokenUnits, unitOf } from './tokens.ts';

/** The conditions and the mode, in words. */
export function postConditions(tx: Api.Transaction, units: TokenUnits): Html {
  const { post_conditions: conditions, post_condition_mode: mode } = tx;
  const broken = brokenCondition(tx);
  const list = conditions.map(condition => {
    const { glyph, kind, words } = MARKS[markOf(condition, tx, broken)];
    return html`<li><span class="${kind}" aria-hidden="true">${glyph}</span> ${conditionText(condition, tx.sender_address, units)}${words && html` <small class="${kind}">${words}</small>`}</li>`;
  });
  return html`${list.length > 0 && html`<ul class="conditions">${list}</ul>`}<p>${modeText(mode, list.length === 0)}</p>`;
}

const MARKS = {
  met: { glyph: '✓', kind: 'in', words: 'met' },
  broken: { glyph: '✗', kind: 'out', words: 'not met' },
  unknown: { glyph: '?', kind: 'warn', words: 'perhaps not met: the node does not name the condition' },
  unchecked: { glyph: '–', kind: 'dim', words: 'not checked: the contract returned an error' },
  open: { glyph: '·', kind: 'dim', words: '' },
} as const;

function markOf(condition: Api.ConditionRecord, tx: Api.Transaction, broken: BrokenCondition | undefined) {
  switch (tx.tx_status) {
    case 'success':
      return 'met';
    case 'abort_by_response':
      return 'unchecked';
    case 'abort_by_post_condition':
      if (isContractError(tx)) return 'unchecked';
      if (broken === undefined) return 'unknown';
      return isOf(condition, tx.sender_address, broken) ? 'broken' : 'open';
    default:
      return 'open';
  }
}

function modeText(mode: string, isAlone: boolean): Html {
  const other = isAlone ? 'no' : 'no other';
  switch (mode) {
    case 'deny':
      return html`Deny mode: ${other} asset may move.`;
    case 'allow':
      return isAlone
        ? html`<span class="warn">⚠ Allow mode without post-conditions: any asset may move.</span>`
        : html`<span class="warn">⚠ Allow mode: any other asset may move.</span>`;
    case 'originator':
      return html`Originator mode: ${other} asset of the sender may move.`;
    default:
      return html`Mode: ${mode}`;
  }
}

/** The asset id of the token of a condition. */
export const assetIdOf = ({ asset }: Api.ConditionRecord): string | undefined =>
  asset && `${asset.contract_address}.${asset.contract_name}::${asset.asset_name}`;

function principalOf(condition: Api.ConditionRecord, sender: string): string {
  const { address, contract_name }: Api.Merged<typeof condition.principal> = condition.principal;
  if (address === undefined) return sender;
  return contract_name ? `${address}.${contract_name}` : address;
}

function conditionText(condition: Api.ConditionRecord, sender: string, units: TokenUnits): Html {
  const who = principalLink(principalOf(condition, sender));
  const { condition_code: code = '', amount = '0', type } = condition;
  const asset = assetIdOf(condition) ?? '';
  if (condition.asset_value) {
    const { hex, repr } = condition.asset_value;
    const thing = nftLink(asset, hex, `${condition.asset?.asset_name} ${repr}`);
    return html`${who} ${NFT_WORDS[code] ?? code} ${thing}`;
  }
  if (type === 'pox') return html`${who} ${code.replaceAll('_', ' ')} (a change of its stacking)`;
  const verb = type === 'staking' ? 'stakes' : 'sends';
  const unit = unitOf(units, asset);
  if (code === 'sent_less_than_or_equal_to' && amount === '0')
    return html`${who} ${verb} no ${asset === '' ? 'STX' : tokenLink(asset, unit.symbol)}`;
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
  sent: 'sends',
  not_sent: 'keeps',
  maybe_sent: 'may send',
};

/** The condition that the message of the node names. */
type BrokenCondition = {
  readonly principal: string;
  /** Empty for STX. */
  readonly asset: string;
} & (
  | { readonly of: 'amount'; readonly comparison: string; readonly required: string; readonly actual: string }
  | { readonly of: 'nft'; readonly value: string; readonly required: string }
  /** An asset moved that no condition covers. */
  | { readonly of: 'none' }
);

/** Undefined if the message names no condition: older nodes send no message. */
function brokenCondition({ tx_status, vm_error }: Api.Transaction): BrokenCondition | undefined {
  if (tx_status !== 'abort_by_post_condition' || !vm_error) return undefined;
  const moved = vm_error.match(/: (?:Fungible|Non-fungible) asset (\S+) was moved by (\S+) but not checked/);
  if (moved) {
    const [, asset = '', principal = ''] = moved;
    return { of: 'none', principal, asset: asset === 'STX' ? '' : asset };
  }
  const item = vm_error.match(/failure on non-fungible asset (\S+) owned by (\S+): (.+) (Sent|NotSent|MaybeSent)$/s);
  if (item) {
    const [, asset = '', principal = '', value = '', required = ''] = item;
    return { of: 'nft', principal, asset, value, required };
  }
  const named = vm_error.match(/failure on (?:STX|fungible asset (\S+)) owned by (\S+): (\d+) (\w+) (\d+)/);
  if (!named) return undefined;
  const [, asset = '', principal = '', required = '', comparison = '', actual = ''] = named;
  return { of: 'amount', principal, asset, comparison, required, actual };
}

function isOf(condition: Api.ConditionRecord, sender: string, broken: BrokenCondition): boolean {
  if (principalOf(condition, sender) !== broken.principal || (assetIdOf(condition) ?? '') !== broken.asset)
    return false;
  switch (broken.of) {
    case 'amount':
      return condition.amount === broken.required;
    case 'nft':
      return condition.asset_value?.repr === broken.value;
    case 'none':
      return false;
    default:
      return broken satisfies never;
  }
}

/** The post-condition that aborted a transaction, and the amount that would have moved; undefined if unknown. */
export function brokenConditionText(tx: Api.Transaction, units: TokenUnits): Html | undefined {
  const broken = brokenCondition(tx);
  if (!broken) return undefined;
  const { principal, asset } = broken;
  const who = principalLink(principal);
  const unit = unitOf(units, asset);
  switch (broken.of) {
    case 'none':
      return html`${who} would have sent <b>${asset === '' ? 'STX' : assetParts(asset).name}</b>, and no post-condition covers that.`;
    case 'nft':
      return html`The post-condition: ${who} ${ITEM_WORDS[broken.required] ?? broken.required} <b>${assetParts(asset).name} ${broken.value}</b>. It would not have held.`;
    case 'amount': {
      const much = (amount: string): Html =>
        asset === '' ? stx(amount) : html`${tokens(amount, { ...unit, symbol: '' })}${tokenLink(asset, unit.symbol)}`;
      return html`The post-condition: ${who} sends ${COMPARISONS[broken.comparison] ?? broken.comparison} <b>${much(broken.required)}</b>. It would have sent <b>${much(broken.actual)}</b>.`;
    }
    default:
      return broken satisfies never;
  }
}

/** The fungible token that the message of the node names; undefined for STX or without one. */
export function brokenAsset(tx: Api.Transaction): string | undefined {
  const broken = brokenCondition(tx);
  return broken?.of === 'amount' && broken.asset !== '' ? broken.asset : undefined;
}

const ITEM_WORDS: Readonly<Record<string, string>> = { Sent: 'sends', NotSent: 'keeps', MaybeSent: 'may send' };

const COMPARISONS: Readonly<Record<string, string>> = {
  SentEq: 'exactly',
  SentGt: 'more than',
  SentGe: 'at least',
  SentLt: 'less than',
  SentLe: 'at most',
};
