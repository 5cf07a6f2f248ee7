/** Pending transactions: which fees are enough now, and why one of them is not mined yet. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, decimalText, grouped, stx } from '../format/amounts.ts';
import { blockLink, pathTo, principalLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { bar } from './picture.ts';

/** Pending transactions by fee beside those of the newest blocks: shows which fees are enough now. */
export function feeBands({ bands, mined_in: { from_height: from, to_height: to } }: Api.MempoolBands): Html {
  const all = bands.map(band => ({ band, waiting: sumOf(band.waiting), mined: sumOf(band.mined) }));
  const waiting = all.reduce((sum, band) => sum + band.waiting, 0);
  const shown = all.slice(all.findIndex(isUsed), all.findLastIndex(isUsed) + 1);
  return html`<div class="bands"><p>${
    waiting === 0 ? 'Nobody is waiting.' : html`<a href="mempool"><b>${grouped(waiting)}</b> waiting</a>`
  }</p>
${shown.length > 0 && bandTable(shown)}
${waiting > 0 && html`<p class="dim">${typesText(bands)}</p>`}
${from !== null && to !== null && html`<p class="dim">Mined: in blocks ${blockLink(from)} to ${blockLink(to)}.</p>`}</div>`;
}

interface Counted {
  readonly band: Api.FeesOfBand;
  readonly waiting: number;
  readonly mined: number;
}

const isUsed = ({ waiting, mined }: Counted): boolean => waiting > 0 || mined > 0;

const sumOf = (counts: Readonly<Record<string, { readonly count: number }>>): number =>
  Object.values(counts).reduce((sum, { count }) => sum + count, 0);

function bandTable(bands: readonly Counted[]): Html {
  const most = Math.max(...bands.map(({ waiting }) => waiting), 1);
  return html`<table><caption>By fee, the highest first</caption>
<thead><tr><th scope="col">Fee, STX</th><th scope="col" colspan="2">waiting</th><th scope="col" class="number">mined</th></tr></thead>
<tbody>${bands.map(
    ({ band, waiting, mined }) =>
      html`<tr><th scope="row">${feeText(band)}</th><td class="number">${grouped(waiting)}</td><td>${bar((100 * waiting) / most)}</td><td class="number">${grouped(mined)}</td></tr>
`,
  )}</tbody></table>`;
}

const STX_DECIMALS = 6;

const feeText = ({ from_fee, below_fee }: Api.FeesOfBand): string =>
  from_fee === '0' && below_fee !== null
    ? `below ${decimalText(below_fee, STX_DECIMALS)}`
    : `from ${decimalText(from_fee, STX_DECIMALS)}`;

/** The number of pending transactions of each type. */
function typesText(bands: readonly Api.FeesOfBand[]): string {
  const count = (type: string): number => bands.reduce((sum, { waiting }) => sum + (waiting[type]?.count ?? 0), 0);
  return WORDS.flatMap(([type, word]) => (count(type) > 0 ? [counted(count(type), word)] : [])).join(', ');
}

const WORDS = [
  ['token_transfer', 'transfer'],
  ['contract_call', 'call'],
  ['smart_contract', 'deployment'],
  ['poison_microblock', 'report'],
] as const;

/** Why a transaction is not mined yet: checks of the nonce, the balance and the fee. Nothing is promised; miners choose. */
export async function waitingCard(api: ApiClient, tx: Api.Transaction): Promise<Html> {
  const address = pathTo(tx.sender_address);
  const payer = tx.sponsor_address ?? tx.sender_address;
  const [nonces, balance, fees, position] = await Promise.all([
    api.get<Api.NoncesOfPrincipal>(`/extended/v3/principals/${address}/nonces`),
    api.get<Api.StxPosition>(`/extended/v3/principals/${pathTo(payer)}/balances/stx`),
    api.get<Api.MempoolFees>('/extended/v2/mempool/fees'),
    api.find<Api.MempoolPosition>(`/extended/v3/mempool/transactions/${pathTo(tx.tx_id)}/position`),
  ]);
  const checks = [nonceCheck(tx, nonces), balanceCheck(tx, balance, payer), feeCheck(tx, fees, position)];
  return html`<div class="card wait"><h2>Why it is not mined yet</h2><ul class="checks">${checks.map(
    ({ isFine, text }) =>
      html`<li class="${isFine ? 'in' : 'out'}"><span aria-hidden="true">${isFine ? '✓' : '✗'}</span> ${text}</li>`,
  )}</ul>${position && html`<p>First seen ${time(position.receipt_time)}; ${counted(position.blocks_waited, 'block')} came without it. If it is never mined, nodes forget it about ${time(position.forgotten_after)}.</p>`}<p class="dim">${
    checks.every(({ isFine }) => isFine)
      ? 'Nothing about it is unusual: a miner has to choose it.'
      : 'It cannot be mined as it is, or miners may pass it by.'
  }</p></div>`;
}

interface Check {
  readonly isFine: boolean;
  readonly text: Html;
}

function nonceCheck({ nonce, sender_address }: Api.Transaction, nonces: Api.NoncesOfPrincipal): Check {
  const sender = principalLink(sender_address);
  const last = nonces.last_confirmed_nonce;
  const next = last === null ? 0 : last + 1;
  if (nonce < next)
    return { isFine: false, text: html`Nonce ${nonce} of ${sender} is used already: it can never be mined.` };
  const missing = nonces.mempool.missing_nonces.filter(each => each < nonce && each >= next);
  if (missing.length > 0)
    return {
      isFine: false,
      text: html`${missing.length === 1 ? 'Nonce' : 'Nonces'} ${missing
        .slice(0, 5)
        .toSorted((a, b) => a - b)
        .join(
          ', ',
        )}${missing.length > 5 && ' …'} of ${sender} must come first, and nobody has seen ${missing.length === 1 ? 'it' : 'them'}.`,
    };
  if (nonce > next)
    return {
      isFine: true,
      text: html`Nonce ${nonce}: ${nonce - next} earlier ones of ${sender} wait as well, and come first.`,
    };
  return { isFine: true, text: html`Nonce ${nonce} is the next one of ${sender}.` };
}

function balanceCheck(
  { fee_rate, token_transfer, sponsor_address }: Api.Transaction,
  balance: Api.StxPosition,
  payer: string,
): Check {
  const free = BigInt(balance.available);
  const needed = BigInt(fee_rate) + (sponsor_address === undefined ? BigInt(token_transfer?.amount ?? 0) : 0n);
  return free >= needed
    ? { isFine: true, text: html`The balance covers ${stx(needed)}.` }
    : {
        isFine: false,
        text: html`${principalLink(payer)} has ${stx(free)} that is not locked, and needs ${stx(needed)}.`,
      };
}

function feeCheck(
  { fee_rate, tx_type }: Api.Transaction,
  fees: Api.MempoolFees,
  position?: Api.MempoolPosition,
): Check {
  const levels = fees[tx_type as Api.TypeOfFee] ?? fees.all;
  const place =
    position && position.fee.total > 1 && html`, number ${position.fee.rank} of ${position.fee.total} that wait`;
  if (!levels || levels.low_priority === 0) return { isFine: true, text: html`The fee is ${stx(fee_rate)}${place}.` };
  const isLow = BigInt(fee_rate) < BigInt(Math.floor(levels.no_priority));
  return {
    isFine: !isLow,
    text: html`The fee is ${stx(fee_rate)}${place}; half of those like it offer ${stx(Math.round(levels.low_priority))} or more.`,
  };
}
