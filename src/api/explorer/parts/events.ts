import type * as Api from '../../routes/records.ts';
import { counted, signedStx, stx, tokens } from '../format/amounts.ts';
import { assetParts, nftLink, principalLink, tokenLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { clarityTree } from './clarity.ts';
import { knownPrint } from './known-prints.ts';
import { dataTable } from './lists.ts';
import { type TokenUnits, unitOf, valueText } from './tokens.ts';
import { memoText } from './transactions.ts';

/** The asset ids of the fungible tokens that these events move. */
export const movedTokens = (events: readonly Api.EventOfTransaction[]): string[] =>
  events.flatMap(event =>
    event.event_type === 'fungible_token_asset' && event.asset.asset_id !== undefined ? [event.asset.asset_id] : [],
  );

/** Events as numbered lines that read as sentences. @param open number of the lines that are not collapsed */
export function eventFlow(events: readonly Api.EventOfTransaction[], units: TokenUnits, open: number): Html {
  const rest = events.slice(open);
  return html`${lines(events.slice(0, open), units)}${
    rest.length > 0 &&
    html`<details class="more"><summary>${counted(rest.length, 'further event')}</summary>${lines(rest, units)}</details>`
  }`;
}

const lines = (events: readonly Api.EventOfTransaction[], units: TokenUnits): Html =>
  html`<ol class="events">${events.map(
    event => html`<li id="event-${event.event_index}" value="${event.event_index}">${line(event, units)}</li>
`,
  )}</ol>`;

function line(event: Api.EventOfTransaction, units: TokenUnits): Html {
  switch (event.event_type) {
    case 'smart_contract_log': {
      const { contract_id, topic, value } = event.contract_log;
      const named = topic !== 'print' && html` <small><bdi>${topic}</bdi></small>`;
      return html`${principalLink(contract_id)} prints${named}: ${printed(contract_id, value)}`;
    }
    case 'stx_lock': {
      const { locked_address, locked_amount, unlock_height } = event.stx_lock_event;
      return html`${principalLink(locked_address)} locks <b>${stx(locked_amount)}</b> until Bitcoin block ${unlock_height}`;
    }
    case 'stx_asset':
    case 'fungible_token_asset':
    case 'non_fungible_token_asset':
      return move(event.asset, what(event.event_type, event.asset, units));
    default:
      return event satisfies never;
  }
}

/** A print of a contract: in words if its meaning is known, then as it is. */
export function printed(contractId: string, value: Api.ValueRecord): Html {
  const words = knownPrint(contractId, value);
  if (!words) return clarityTree(value);
  return html`<span class="said">${words}.</span><details><summary>Printed value</summary>${clarityTree(value)}</details>`;
}

function what(kind: string, asset: Api.AssetMove, units: TokenUnits): Html {
  const id = asset.asset_id ?? '';
  if (kind === 'stx_asset') return html`${stx(asset.amount ?? 0)}`;
  if (asset.value) return nftLink(id, asset.value.hex, `${assetParts(id).name} ${asset.value.repr}`);
  const unit = unitOf(units, id);
  return html`${tokens(asset.amount ?? '0', { ...unit, symbol: '' })}${tokenLink(id, unit.symbol)}`;
}

function move({ asset_event_type, sender, recipient, memo }: Api.AssetMove, thing: Html): Html {
  const text = memo && memoText(memo);
  const said = text && html` <q class="memo"><bdi>${text}</bdi></q>`;
  switch (asset_event_type) {
    case 'transfer':
      return html`${principalLink(sender)} <span aria-label="gives">→</span> ${principalLink(recipient)} <b>${thing}</b>${said}`;
    case 'mint':
      return html`<b>${thing}</b> is minted for ${principalLink(recipient)}`;
    case 'burn':
      return html`${principalLink(sender)} burns <b>${thing}</b>`;
    default:
      return asset_event_type satisfies never;
  }
}

interface Change {
  readonly party: string;
  /** Empty for STX. */
  readonly asset: string;
  /** 1 or -1 of a non-fungible token. */
  readonly amount: bigint;
  /** Of a non-fungible token. */
  readonly value?: Api.ValueRecord;
}

/** The net amounts that each party gave and got, without fees; the sender's rows first. */
export function netChanges(events: readonly Api.EventOfTransaction[], sender: string): readonly Change[] {
  const sums = new Map<string, Change>();
  const add = (party: string, asset: string, amount: bigint, value: Api.ValueRecord | undefined) => {
    if (party === '') return;
    const key = `${party} ${asset} ${value?.hex ?? ''}`;
    sums.set(key, { party, asset, amount: (sums.get(key)?.amount ?? 0n) + amount, ...(value && { value }) });
  };
  for (const event of events) {
    if (!('asset' in event)) continue;
    const { asset_id = '', amount = '1', sender: from, recipient: to, value }: Api.AssetMove = event.asset;
    add(from, asset_id, -BigInt(amount), value);
    add(to, asset_id, BigInt(amount), value);
  }
  const rank = ({ party }: Change) => (party === sender ? 0 : party.includes('.') ? 2 : 1);
  return [...sums.values()].filter(({ amount }) => amount !== 0n).sort((a, b) => rank(a) - rank(b));
}

/**
 * The effect of a successful call, if its events describe it more plainly than its arguments: in a swap the sender
 * loses one asset and gets another. @returns the text after the sender in a sentence
 */
export function outcome(
  { events = [], tx_status, sender_address, contract_call: call }: Api.Transaction,
  units: TokenUnits,
): Html | undefined {
  if (!call || tx_status !== 'success') return undefined;
  const own = netChanges(events, sender_address).filter(({ party }) => party === sender_address);
  const [given, got] = [own.filter(({ amount }) => amount < 0n), own.filter(({ amount }) => amount > 0n)];
  const [[lost], [won]] = [given, got];
  if (lost && won && own.length === 2 && !events.some(isOfNft))
    return html`swaps <b>${much(lost, units)}</b> for <b>${much(won, units)}</b> at ${principalLink(call.contract_id)}`;
  const moves = events.flatMap(event => ('asset' in event ? [event] : []));
  const [only] = moves;
  if (!only || moves.length > 1 || only.asset.asset_event_type === 'transfer') return undefined;
  const { asset_event_type: type, recipient } = only.asset;
  const thing = what(only.event_type, only.asset, units);
  if (type === 'burn') return html`burns <b>${thing}</b>`;
  return html`mints <b>${thing}</b>${recipient !== sender_address && html` for ${principalLink(recipient)}`}`;
}

const isOfNft = ({ event_type }: Api.EventOfTransaction): boolean => event_type === 'non_fungible_token_asset';

function much({ asset, amount }: Change, units: TokenUnits): Html {
  const size = amount < 0n ? -amount : amount;
  if (asset === '') return stx(size);
  const unit = unitOf(units, asset);
  return html`${tokens(size, { ...unit, symbol: '' })}${tokenLink(asset, unit.symbol)}`;
}

/** Most rows of the table of net changes: a call can move hundreds of tokens. */
const MOST_CHANGES = 50;

/** The table of net changes. */
export const netTable = (changes: readonly Change[], units: TokenUnits): Html =>
  html`${dataTable<Change>(
    'Net changes by account, without the fee',
    [
      { head: 'Account', cell: ({ party }) => principalLink(party) },
      { head: 'Change', numeric: true, cell: change => changeOf(change, units) },
    ],
    changes.slice(0, MOST_CHANGES),
    'No asset changed hands.',
  )}${changes.length > MOST_CHANGES && html`<p class="dim">The first ${MOST_CHANGES} of ${changes.length} changes.</p>`}`;

function changeOf({ asset, amount, value }: Change, units: TokenUnits): Html {
  if (value)
    return html`<span class="${amount < 0n ? 'out' : 'in'}">${amount < 0n ? '−' : '+'}</span> ${nftLink(asset, value.hex, `${assetParts(asset).name} ${valueText(value)}`)}`;
  if (asset === '') return signedStx(amount);
  const unit = unitOf(units, asset);
  const sign = amount > 0n ? '+' : '';
  return html`<span class="${amount < 0n ? 'out' : 'in'}">${sign}${tokens(amount, { ...unit, symbol: '' })}</span>${tokenLink(asset, unit.symbol)}`;
}
