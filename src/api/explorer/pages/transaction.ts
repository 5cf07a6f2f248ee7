import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped, stx } from '../format/amounts.ts';
import {
  blockHashLink,
  blockLink,
  burnLink,
  forkLink,
  fullId,
  pathTo,
  principalLink,
  query,
  txLink,
} from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { PageContent, PageRenderer } from '../page.ts';
import { clarityTree } from '../parts/clarity.ts';
import { eventFlow, movedTokens, netChanges, netTable, outcome } from '../parts/events.ts';
import { failureReason } from '../parts/failure.ts';
import { facts, heading, pageRangeOf, pager, section, summary } from '../parts/lists.ts';
import { waitingCard } from '../parts/mempool.ts';
import { fullnessBars } from '../parts/picture.ts';
import { assetIdOf, brokenAsset, postConditions } from '../parts/post-conditions.ts';
import { type TokenUnits, tokenUnits } from '../parts/tokens.ts';
import { confirmationsText, sentence } from '../parts/transactions.ts';
import { ANCHOR } from '../words/help.ts';
import { chip, ORPHANED, stateOf } from '../words/states.ts';

const EVENTS = 50;
/** Number of open events; further ones are collapsed. */
const OPEN_EVENTS = 10;

/** A transaction in any state: its effect or intention, the reason of a failure, and its place. */
export const transactionPage: PageRenderer = async (api, { params, query: asked }) => {
  const id = encodeURIComponent(params.id ?? '');
  const place = pageRangeOf(asked.page, EVENTS);
  const path = `/extended/v1/tx/${id}?event_limit=${EVENTS}&event_offset=${place.offset}`;
  const tx = await api.find<Api.Transaction>(path);
  if (!tx) return orphanedOrUnknown(api, params.id ?? '');
  const events = tx.events ?? [];
  const count = tx.event_count ?? 0;
  const all = count <= MOST_ADDED ? await allEvents(api, id, { events, offset: place.offset, count }) : undefined;
  const isPending = tx.tx_status === 'pending';
  const hasFailed = tx.tx_status.startsWith('abort_');
  const assets = [
    ...movedTokens(all ?? events),
    ...tx.post_conditions.flatMap(condition => assetIdOf(condition) ?? []),
    brokenAsset(tx) ?? [],
  ].flat();
  const [status, units, contract, waiting, signed, winner, drop] = await Promise.all([
    api.get<Api.Status>('/extended'),
    tokenUnits(api, assets),
    hasFailed && tx.contract_call
      ? api.find<Api.SmartContract>(
          `/extended/v3/smart-contracts/${pathTo(tx.contract_call.contract_id)}?include=source_code`,
        )
      : undefined,
    isPending ? waitingCard(api, tx) : undefined,
    api.find<{ readonly auth?: Api.Authorisation }>(`/extended/v3/transactions/${id}?include=auth`),
    tx.replaced_by_tx_id
      ? api.find<Api.Transaction>(
          `/extended/v1/tx/${pathTo(tx.replaced_by_tx_id)}?event_limit=1&exclude_function_args=true`,
        )
      : undefined,
    tx.tx_status.startsWith('dropped_')
      ? api.find<Api.MempoolDrop>(`/extended/v3/mempool/transactions/${id}/drop`)
      : undefined,
  ]);
  const state = stateOf(tx);
  const did = all && outcome({ ...tx, events: all }, units);
  const changes = tx.tx_status === 'success' ? assetChanges(tx, all, units) : undefined;
  const conditions = hasPostConditions(tx) && section('Post-conditions', postConditions(tx, units));
  const body = html`${heading('Transaction', html`<span data-part="state">${chip(state)}</span>`, fullId(tx.tx_id))}
<div data-part="what"><p class="lead">${did ? html`${principalLink(tx.sender_address)} ${did}` : sentence(tx)}.</p>
<p>${state.sentence}${tx.replaced_by_tx_id && html` It was replaced by ${txLink(tx.replaced_by_tx_id)}.`} <a class="status" href="help#${tx.tx_status}"><code>${tx.tx_status}</code></a></p></div>
<div data-part="facts">${summary([...keyFacts(tx, status, signed?.auth), ['Dropped', drop && droppedText(drop, winner, tx)]])}</div>
<div data-part="why">${hasFailed && html`<div class="card bad"><h2>Why it failed</h2>${failureReason(tx, contract?.source_code, units)}</div>`}${waiting}</div>
<div data-part="net" class="${changes && conditions ? 'columns-2' : ''}">${changes}${conditions}</div>
<div data-part="events">${events.length > 0 && section(counted(count, 'event'), html`${eventFlow(events, units, OPEN_EVENTS)}${pager(place, count, pathTo('tx', tx.tx_id))}`)}</div>
${tx.contract_call && section('Function call', callOf(tx))}
${tx.smart_contract && section('Contract', deploymentOf(tx))}
<div data-part="place" class="${tx.block_height === undefined ? '' : 'columns-2'}">${section('Details', details(tx, signed?.auth))}
${tx.block_height !== undefined && section('Cost', fullnessBars(tx))}</div>
${section('Raw', html`<p><a href="..${`/extended/v1/tx/${id}/raw`}">The signed bytes as hex</a></p>`)}`;
  const waits = isPending || tx.is_unanchored === true;
  return { title: `${state.word} · ${tx.tx_id.slice(0, 10)}`, body, live: waits ? ['block', 'mempool'] : ['block'] };
};

/** The time of the drop: by the message of a node, else by the replacing transaction, else by age. */
function droppedText(
  { time: told }: Api.MempoolDrop,
  winner: Api.Transaction | undefined,
  own: Api.Transaction,
): Html | undefined {
  if (told !== null) return time(told);
  if (winner) return html`${time(firstTimeOf(winner))} <small>when the other one came</small>`;
  return own.receipt_time === undefined ? undefined : html`about ${time(own.receipt_time + LIFETIME)}`;
}

/** Seconds that nodes keep a pending transaction. */
const LIFETIME = 2560 * 60;

/** The time at which a transaction became known: its first announcement, else its block. */
const firstTimeOf = ({ receipt_time, block_time, burn_block_time }: Api.Transaction): number | undefined =>
  receipt_time || block_time || burn_block_time;

/** Most events whose asset changes a page adds up. */
const MOST_ADDED = 500;
/** Most events that the API returns at once. */
const EVENTS_AT_ONCE = 100;

/** The events on the page of a transaction, from an offset on, and the number of all events. */
interface EventsOfPage {
  readonly events: readonly Api.EventOfTransaction[];
  readonly offset: number;
  readonly count: number;
}

/** Every event of a transaction: those of its page, and the others before and after them. @param id encoded */
async function allEvents(
  api: ApiClient,
  id: string,
  { events, offset, count }: EventsOfPage,
): Promise<Api.EventOfTransaction[]> {
  const from = Math.min(offset, count);
  const [before, after] = await Promise.all([
    eventsBetween(api, id, 0, from),
    eventsBetween(api, id, from + events.length, count),
  ]);
  return [...before, ...events, ...after];
}

/** @param end exclusive */
async function eventsBetween(
  api: ApiClient,
  id: string,
  start: number,
  end: number,
): Promise<Api.EventOfTransaction[]> {
  const offsets = Array.from(
    { length: Math.ceil((end - start) / EVENTS_AT_ONCE) },
    (_, i) => start + i * EVENTS_AT_ONCE,
  );
  const parts = await Promise.all(
    offsets.map(event_offset =>
      api.get<Api.Transaction>(
        `/extended/v1/tx/${id}${query({ event_limit: Math.min(EVENTS_AT_ONCE, end - event_offset), event_offset, exclude_function_args: 'true' })}`,
      ),
    ),
  );
  return parts.flatMap(({ events = [] }) => events);
}

/** False for transactions of miners, which cannot have post-conditions. */
const hasPostConditions = (tx: Api.Transaction): boolean =>
  tx.post_conditions.length > 0 || tx.contract_call !== undefined || tx.smart_contract !== undefined;

/** @param events all of them, if they are few enough */
const assetChanges = (
  { sender_address: sender }: Api.Transaction,
  events: readonly Api.EventOfTransaction[] | undefined,
  units: TokenUnits,
): Html =>
  section(
    'Asset changes',
    events
      ? netTable(netChanges(events, sender), units)
      : html`<p>It has more than ${MOST_ADDED} events, which this page does not add up. Its change is in the history of each account, such as that of ${principalLink(sender)}.</p>`,
  );

/** The most important facts. */
function keyFacts(
  tx: Api.Transaction,
  { chain_tip: tip }: Api.Status,
  signed: Api.Authorisation | undefined,
): readonly (readonly [name: HtmlValue, value: HtmlValue])[] {
  const { token_transfer: transfer, contract_call: call, smart_contract: contract, block_height: height } = tx;
  const above = height !== undefined && tip ? tip.block_height - height : undefined;
  const burnAbove =
    tx.burn_block_height !== undefined && tip ? tip.burn_block_height - tx.burn_block_height : undefined;
  const fee = BigInt(tx.fee_rate);
  return [
    ['Amount', transfer && html`<b>${stx(transfer.amount)}</b>`],
    ['From', principalLink(tx.sender_address)],
    ['To', transfer && principalLink(transfer.recipient_address)],
    ['Contract', (call ?? contract) && principalLink((call ?? contract)?.contract_id ?? '')],
    [
      'Fee',
      html`${stx(fee)}${signed && signed.size > 0 && fee > 0n && html` <small title="The fee divided by the size of the transaction">${feeRateText(fee, signed.size)} µSTX a byte</small>`}`,
    ],
    ['Nonce', tx.nonce],
    ['Block', height !== undefined && blockLink(height)],
    [ANCHOR, tx.burn_block_height !== undefined && burnLink(tx.burn_block_height)],
    ['Confirmations', above !== undefined && confirmationsText(above, burnAbove)],
    [height === undefined ? 'First seen' : 'Time', time(tx.block_time || tx.burn_block_time || tx.receipt_time)],
  ];
}

/** µSTX a byte, with two digits after the point below 100. */
function feeRateText(fee: bigint, size: number): string {
  const rate = Number(fee) / size;
  return rate < 100 ? rate.toFixed(2) : grouped(Math.round(rate));
}

function deploymentOf({ smart_contract: contract, tx_status: status }: Api.Transaction): Html {
  const id = contract?.contract_id ?? '';
  return html`<p>${principalLink(id)}${status === 'success' && html`, <a href="${pathTo('contract', id, 'source')}">its source</a>`}</p>`;
}

/** A transaction that only an orphaned block has, or an unknown id. */
async function orphanedOrUnknown(api: ApiClient, id: string): Promise<PageContent> {
  const found = await api.find<Api.SearchResult>(`/extended/v1/search/${encodeURIComponent(id)}?include_metadata=true`);
  const tx = found?.found && found.result.entity_type === 'tx_id' ? found.result.metadata : undefined;
  const block = tx?.block_hash;
  if (!tx || block === undefined) throw new ApiError(404, 'This index has not seen such a transaction');
  const fork = await api.find<Api.WholeFork>(`/extended/v3/forks/${encodeURIComponent(block)}`);
  const body = html`${heading('Transaction', html`<span data-part="state">${chip(ORPHANED)}</span>`, fullId(id))}
<p class="lead band gone">Only a block that is no longer part of the chain had it: ${blockHashLink(block)}${fork && html`, of ${forkLink(fork.id, 'a fork')}`}. It does not wait for another block.</p>
<p>Its intention: ${sentence(tx)}.</p>
${section('Raw', html`<p><a href="..${`/extended/v1/tx/${encodeURIComponent(id)}/raw`}">The signed bytes as hex</a></p>`)}`;
  return { title: `Orphaned · ${id.slice(0, 10)}`, body, live: ['block', 'mempool'] };
}

function callOf({ contract_call: call, tx_result: result, tx_status: status }: Api.Transaction): Html | undefined {
  if (!call) return undefined;
  const args = (call.function_args ?? []).map(
    argument =>
      html`<div><dt><bdi>${argument.name}</bdi> <small>${argument.type}</small></dt><dd>${clarityTree(argument)}</dd></div>`,
  );
  return html`<p>${principalLink(call.contract_id)} · <b><bdi>${call.function_name}</bdi></b></p>
${args.length > 0 && html`<dl class="tree arguments">${args}</dl>`}${result && html`<p>Result${status === 'abort_by_post_condition' && ', before the post-conditions undid the call'}: ${clarityTree(result)}</p>`}`;
}

/** `2 of 3 signatures (p2sh)` */
const signaturesOf = ({
  hash_mode,
  signatures_required,
  signatures_given,
  keys,
}: Api.Authorisation['sender']): string =>
  keys === 1 && signatures_required === 1
    ? `one key (${hash_mode})`
    : `${signatures_required} of ${keys} signatures${signatures_given === signatures_required ? '' : `, ${signatures_given} given`} (${hash_mode})`;

/** Less important facts. */
const details = (tx: Api.Transaction, signed: Api.Authorisation | undefined): Html =>
  facts([
    ['Type', tx.tx_type.replaceAll('_', ' ')],
    [
      'Position',
      tx.block_height !== undefined && html`${(tx.tx_index ?? 0) + 1} in block ${blockLink(tx.block_height)}`,
    ],
    ['First seen', tx.block_height !== undefined && tx.receipt_time !== undefined && time(tx.receipt_time)],
    [
      'Sponsor',
      tx.sponsored &&
        tx.sponsor_address &&
        html`${principalLink(tx.sponsor_address)} pays the fee, nonce ${tx.sponsor_nonce}`,
    ],
    [
      'Signed by',
      signed &&
        html`${signaturesOf(signed.sender)}${signed.sponsor && html`; the sponsor by ${signaturesOf(signed.sponsor)}`}`,
    ],
    ['Size', signed && counted(signed.size, 'byte')],
    ['Microblock', tx.is_unanchored && 'A microblock has it, and no block yet'],
  ]);
