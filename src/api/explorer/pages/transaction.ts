import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, stx } from '../format/amounts.ts';
import {
  blockHashLink,
  blockLink,
  burnLink,
  forkLink,
  fullId,
  pathTo,
  principalLink,
  txLink,
} from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import type { PageContent, PageRenderer } from '../page.ts';
import { clarityTree } from '../parts/clarity.ts';
import { eventFlow, movedTokens, netChanges, netTable, outcome } from '../parts/events.ts';
import { assetIdOf, failureReason, postConditions } from '../parts/limits.ts';
import { facts, heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { waitingCard } from '../parts/mempool.ts';
import { fullnessBars } from '../parts/picture.ts';
import { tokenUnits } from '../parts/tokens.ts';
import { chip, ORPHANED, sentence, stateOf } from '../parts/transactions.ts';

const EVENTS = 50;

/** A transaction in any state: its effect or intention, the reason of a failure, and its place. */
export const transactionPage: PageRenderer = async (api, { params, query }) => {
  const id = encodeURIComponent(params.id ?? '');
  const place = pageRangeOf(query.page, EVENTS);
  const path = `/extended/v1/tx/${id}?event_limit=${EVENTS}&event_offset=${place.offset}`;
  const tx = await api.find<Api.Transaction>(path);
  if (!tx) return orphanedOrUnknown(api, params.id ?? '');
  const events = tx.events ?? [];
  const isPending = tx.tx_status === 'pending';
  const hasFailed = tx.tx_status.startsWith('abort_');
  const [status, units, contract, waiting, signed] = await Promise.all([
    api.get<Api.Status>('/extended'),
    tokenUnits(api, [...movedTokens(events), ...tx.post_conditions.flatMap(condition => assetIdOf(condition) ?? [])]),
    hasFailed && tx.contract_call
      ? api.find<Api.SmartContract>(
          `/extended/v3/smart-contracts/${pathTo(tx.contract_call.contract_id)}?include=source_code`,
        )
      : undefined,
    isPending ? waitingCard(api, tx) : undefined,
    api.find<{ readonly auth?: Api.Authorisation }>(`/extended/v3/transactions/${id}?include=auth`),
  ]);
  const state = stateOf(tx);
  const isWhole = (tx.event_count ?? 0) <= EVENTS;
  const did = isWhole ? outcome(tx, units) : undefined;
  const body = html`${heading('Transaction', html`<span data-part="state">${chip(state)}</span>`, fullId(tx.tx_id))}
<div data-part="what"><p class="lead">${isPending && 'Asks: '}${did ? html`${principalLink(tx.sender_address)} ${did}` : sentence(tx)}.</p>
<p>${state.sentence}${tx.replaced_by_tx_id && html` It was replaced by ${txLink(tx.replaced_by_tx_id)}.`}</p>
${hasFailed && html`<div class="card bad">${failureReason(tx, contract?.source_code)}</div>`}${waiting}</div>
<div class="columns-2"><div data-part="net">${!isPending && section('Who gave and got', isWhole ? netTable(netChanges(events, tx.sender_address), units) : html`<p>It has too many events to add up on one page; the account of each party has its change.</p>`)}</div>
${(tx.contract_call ?? tx.smart_contract) && section('The sender’s limits', postConditions(tx, units))}</div>
<div data-part="events">${events.length > 0 && section(counted(tx.event_count ?? 0, 'event'), html`${eventFlow(events, units)}${pager(place, tx.event_count ?? 0, pathTo('tx', tx.tx_id))}`)}</div>
${tx.contract_call && section('The call', callOf(tx))}
${tx.smart_contract && section('The contract', html`<p>${principalLink(tx.smart_contract.contract_id)}, <a href="${pathTo('contract', tx.smart_contract.contract_id, 'source')}">its source</a></p>`)}
<div data-part="place" class="columns-2">${section('Where and when', placeFacts(tx, status, signed?.auth))}
${tx.block_height !== undefined && section('What it used', fullnessBars(tx))}</div>
${section('Raw', html`<p><a href="..${`/extended/v1/tx/${id}/raw`}">The bytes as hex</a>, as they were signed.</p>`)}`;
  const waits = isPending || tx.is_unanchored === true;
  return { title: `${state.word} · ${tx.tx_id.slice(0, 10)}`, body, live: waits ? ['block', 'mempool'] : ['block'] };
};

/** A transaction that only an orphaned block has, or an unknown id. */
async function orphanedOrUnknown(api: ApiClient, id: string): Promise<PageContent> {
  const found = await api.find<Api.SearchResult>(`/extended/v1/search/${encodeURIComponent(id)}?include_metadata=true`);
  const tx = found?.found && found.result.entity_type === 'tx_id' ? found.result.metadata : undefined;
  const block = tx?.block_hash;
  if (!tx || block === undefined) throw new ApiError(404, 'This index has not seen such a transaction');
  const fork = await api.find<Api.WholeFork>(`/extended/v3/forks/${encodeURIComponent(block)}`);
  const body = html`${heading('Transaction', html`<span data-part="state">${chip(ORPHANED)}</span>`, fullId(id))}
<p class="lead band gone">Only a block that is no longer part of the chain had it: ${blockHashLink(block)}${fork && html`, of ${forkLink(fork.id, 'a fork')}`}. It does not wait for another block.</p>
<p>It asked: ${sentence(tx)}.</p>
${section('Raw', html`<p><a href="..${`/extended/v1/tx/${encodeURIComponent(id)}/raw`}">The bytes as hex</a>, as they were signed.</p>`)}`;
  return { title: `Orphaned · ${id.slice(0, 10)}`, body, live: ['block', 'mempool'] };
}

function callOf({ contract_call: call, tx_result: result }: Api.Transaction): Html | undefined {
  if (!call) return undefined;
  const args = (call.function_args ?? []).map(
    argument =>
      html`<div><dt><bdi>${argument.name}</bdi> <small>${argument.type}</small></dt><dd>${clarityTree(argument)}</dd></div>`,
  );
  return html`<p>${principalLink(call.contract_id)} · <b><bdi>${call.function_name}</bdi></b></p>
${args.length > 0 && html`<dl class="tree arguments">${args}</dl>`}${result && html`<p>The result: ${clarityTree(result)}</p>`}`;
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

function placeFacts(tx: Api.Transaction, { chain_tip: tip }: Api.Status, signed: Api.Authorisation | undefined): Html {
  const above = tx.block_height !== undefined && tip ? tip.block_height - tx.block_height : undefined;
  const burnAbove =
    tx.burn_block_height !== undefined && tip ? tip.burn_block_height - tx.burn_block_height : undefined;
  return facts([
    [
      'Block',
      tx.block_height !== undefined && html`${blockLink(tx.block_height)}, number ${(tx.tx_index ?? 0) + 1} in it`,
    ],
    ['Bitcoin block', tx.burn_block_height !== undefined && burnLink(tx.burn_block_height)],
    [
      'Built on it',
      above !== undefined &&
        `${counted(above, 'block')}${burnAbove === undefined ? '' : ` and ${counted(burnAbove, 'Bitcoin block')}`}`,
    ],
    ['Time', tx.block_height !== undefined && time(tx.block_time || tx.burn_block_time)],
    ['First seen', tx.receipt_time !== undefined && time(tx.receipt_time)],
    ['Sender', html`${principalLink(tx.sender_address)}, nonce ${tx.nonce}`],
    [
      'Fee',
      html`${stx(tx.fee_rate)}${tx.sponsored && tx.sponsor_address && html`, paid by ${principalLink(tx.sponsor_address)}, nonce ${tx.sponsor_nonce}`}`,
    ],
    [
      'Signed by',
      signed &&
        html`${signaturesOf(signed.sender)}${signed.sponsor && html`; the sponsor by ${signaturesOf(signed.sponsor)}`}`,
    ],
    ['Size', signed && counted(signed.size, 'byte')],
    ['Microblock', tx.is_unanchored && 'Confirmed by a microblock, not yet by a block'],
  ]);
}
