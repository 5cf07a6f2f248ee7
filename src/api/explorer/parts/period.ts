/** The STX totals of an account over a period of days: the difference of its running totals at both ends, so the cost does not depend on the length. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { stx } from '../format/amounts.ts';
import { query } from '../format/links.ts';
import { DAY, timeOfBlock } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { secondsOf } from './history.ts';
import { section, summary } from './lists.ts';
import { newestBlock } from './newest-block.ts';

/** Days as `2026-11-22`, in UTC; both included. Undefined: from the first block, up to now. */
interface Period {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The totals of an account up to a moment, in micro-STX. */
interface Totals {
  readonly balance: bigint;
  readonly received: bigint;
  readonly sent: bigint;
  readonly fees: bigint;
  readonly rewards: bigint;
}

const NONE: Totals = { balance: 0n, received: 0n, sent: 0n, fees: 0n, rewards: 0n };

/** Received and sent STX between two days, and the balance at both ends; undefined without a day. @param id of the account, encoded */
export async function periodTotals(api: ApiClient, id: string, { from, to }: Period): Promise<Html | undefined> {
  if (from === undefined && to === undefined) return undefined;
  const [before, after] = await Promise.all([
    from === undefined ? NONE : totalsAt(api, id, secondsOf(from) - 1),
    totalsAt(api, id, to === undefined ? undefined : secondsOf(to) + DAY - 1),
  ]);
  // A period that ends before it begins has no blocks.
  const gained = (name: keyof Totals): bigint => (after[name] > before[name] ? after[name] - before[name] : 0n);
  const rewards = gained('rewards');
  return section(
    `STX ${from === undefined ? '' : `from ${from} `}${to === undefined ? 'until now' : `to ${to}`}`,
    html`${summary([
      ['Received', html`<b>${stx(gained('received'))}</b>`],
      ['Sent', html`<b>${stx(gained('sent'))}</b>`],
      ['Fees paid', stx(gained('fees'))],
      ['Miner rewards', rewards > 0n && stx(rewards)],
      ['Balance before', stx(before.balance)],
      ['Balance after', stx(after.balance)],
    ])}<p class="dim">All transactions of these days (UTC) together. Received and sent leave out fees and miner rewards; what the account sent to itself counts in both.</p>`,
  );
}

/** @param seconds Unix time; undefined for now */
async function totalsAt(api: ApiClient, id: string, seconds: number | undefined): Promise<Totals> {
  const read = (at?: string) => api.find<Api.StxBalance>(`/extended/v1/address/${id}/stx${query({ at })}`);
  const past = seconds === undefined ? undefined : await read(`time:${seconds}`);
  if (past) return totalsOf(past);
  // The API has no block for a time before the first block, or after the newest one.
  const tip = seconds === undefined ? undefined : await newestBlock(api);
  if (seconds !== undefined && tip && seconds < timeOfBlock(tip)) return NONE;
  const now = await read();
  return now ? totalsOf(now) : NONE;
}

const totalsOf = (stx: Api.StxBalance): Totals => ({
  balance: BigInt(stx.balance),
  received: BigInt(stx.total_received),
  sent: BigInt(stx.total_sent),
  fees: BigInt(stx.total_fees_sent),
  rewards: BigInt(stx.total_miner_rewards_received),
});
