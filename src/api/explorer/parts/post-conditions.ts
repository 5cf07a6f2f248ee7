import type * as Api from '../../routes/records.ts';
import { stx, tokens } from '../format/amounts.ts';
import { nftLink, principalLink, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { type TokenUnits, unitOf } from './token-units.ts';

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
