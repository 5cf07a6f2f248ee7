/** The expiry of a name: the chain of its height, and the approximate day. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { assetParts, blockLink, burnLink, pathTo } from '../format/links.ts';
import { aboutDuration, SECONDS_OF_BITCOIN_BLOCK, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { newestBlock } from './newest-block.ts';

/** The chain whose blocks the height counts: Bitcoin for names of BNS-V2, Stacks for earlier ones. */
type Chain = 'Bitcoin' | 'Stacks';

/** The expiry of a name in words. */
export async function nameExpiry(api: ApiClient, info: Api.NameInfo): Promise<Html> {
  const { expire_block: end = 0, last_txid: last } = info;
  if (end === 0) return html`never, or not known`;
  const [chain, tip, pace] = await Promise.all([
    chainOf(api, last),
    newestBlock(api),
    api.get<Api.AverageBlockTimes>('/extended/v2/blocks/average-times'),
  ]);
  if (!chain || !tip)
    return html`at block ${end.toLocaleString('en')} <small>(of Bitcoin for names of BNS-V2, of Stacks for earlier ones)</small>`;
  const [height, seconds] =
    chain === 'Bitcoin' ? [tip.burn_block_height, SECONDS_OF_BITCOIN_BLOCK] : [tip.height, pace.last_30d];
  if (end <= height)
    return html`at ${chain} block ${chain === 'Bitcoin' ? burnLink(end) : blockLink(end)}, which has passed`;
  const left = (end - height) * seconds;
  return html`at ${chain} block ${end.toLocaleString('en')}${left > 0 && html` <small>${aboutDuration(left)} after the newest block, around ${dayOfMoment(timeOfBlock(tip) + left)}, if ${chain} blocks come as usual</small>`}`;
}

/** Last moment that is shown as a date; JavaScript has no dates after the year 275760. */
const LAST_MOMENT = 253_402_300_799;

const dayOfMoment = (seconds: number): string =>
  seconds > LAST_MOMENT ? 'the year 10,000 or later' : new Date(seconds * 1000).toISOString().slice(0, 10);

/** Events of the last operation that are searched for that of its contract. */
const EVENTS = 100;

/** The chain, by the contract of the last operation on the name; undefined if the transaction does not show it. */
async function chainOf(api: ApiClient, txId: string | undefined): Promise<Chain | undefined> {
  if (!txId) return undefined;
  const path = `/extended/v1/tx/${pathTo(txId)}?event_limit=${EVENTS}&exclude_function_args=true`;
  const { events = [], contract_call: call } = (await api.find<Api.Transaction>(path)) ?? {};
  const reported = events.map(event => {
    if ('contract_log' in event) return event.contract_log.contract_id;
    return 'asset' in event && 'asset_id' in event.asset ? assetParts(event.asset.asset_id).contract : '';
  });
  // A renewal of BNS version 1 can be without an event.
  const contracts = [...reported, call?.contract_id ?? ''];
  if (contracts.some(id => id.endsWith('.BNS-V2'))) return 'Bitcoin';
  return contracts.some(id => id.endsWith('.bns')) ? 'Stacks' : undefined;
}
