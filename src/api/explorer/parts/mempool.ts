/** Pending transactions: sufficient fees, and reasons why a transaction is not mined yet. */
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, decimalText, grouped, stxNumber } from '../format/amounts.ts';
import { blockLink, pathTo, query, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { balanceCheck, feeCheck, MARK_OF_LEVEL, nonceCheck, verdictOf } from '../words/pending.ts';
import { dataTable } from './lists.ts';
import { bar } from './picture.ts';

/** Low, median and high fees now, by type. */
export function feeAdvice(fees: Api.MempoolFees): Html {
  const rows = FEE_TYPES.flatMap(([type, name]) => {
    const levels = fees[type];
    return levels && levels.high_priority > 0 ? [{ name, levels }] : [];
  });
  return dataTable(
    'Fees of pending transactions, by type',
    [
      { head: 'Fee, STX', cell: ({ name }) => name },
      { head: 'low', numeric: true, cell: ({ levels }) => stxNumber(levels.no_priority) },
      { head: 'median', numeric: true, cell: ({ levels }) => stxNumber(levels.low_priority) },
      { head: 'high', numeric: true, cell: ({ levels }) => stxNumber(levels.medium_priority) },
    ],
    rows,
    'Few transactions are pending: the least fee, 1 µSTX a byte, is enough now.',
    'narrow',
  );
}

const FEE_TYPES: readonly (readonly [type: Api.TypeOfFee, name: string])[] = [
  ['token_transfer', 'transfer'],
  ['contract_call', 'call'],
  ['smart_contract', 'deployment'],
];

/** Pending transactions by fee beside those of the newest blocks: shows which fees are enough now. */
export function feeBands({ bands, mined_in: { from_height: from, to_height: to } }: Api.MempoolBands): Html {
  const all = bands.map(band => ({ band, waiting: sumOf(band.waiting), mined: sumOf(band.mined) }));
  const waiting = pendingIn({ bands });
  const shown = all.slice(all.findIndex(isUsed), all.findLastIndex(isUsed) + 1);
  return html`<div class="bands"><p>${
    waiting === 0
      ? 'No transaction is pending.'
      : html`<a href="mempool"><b>${grouped(waiting)}</b> pending</a>: ${typesText(bands)}`
  }</p>
${shown.length > 0 && bandTable(shown, waiting > 0)}
${from !== null && to !== null && html`<p class="dim">Confirmed: in blocks ${blockLink(from)} to ${blockLink(to)}${isWaitKnown(shown) && '. Waited: blocks until then, the median'}</p>`}</div>`;
}

const isWaitKnown = (bands: readonly Counted[]): boolean => bands.some(({ band }) => band.waited.count > 0);

/** The number of pending transactions. */
export const pendingIn = ({ bands }: Pick<Api.MempoolBands, 'bands'>): number =>
  bands.reduce((sum, { waiting }) => sum + sumOf(waiting), 0);

interface Counted {
  readonly band: Api.FeesOfBand;
  readonly waiting: number;
  readonly mined: number;
}

const isUsed = ({ waiting, mined }: Counted): boolean => waiting > 0 || mined > 0;

const sumOf = (counts: Readonly<Record<string, { readonly count: number }>>): number =>
  Object.values(counts).reduce((sum, { count }) => sum + count, 0);

/** @param hasPending false leaves out the columns that would be empty bars */
function bandTable(bands: readonly Counted[], hasPending: boolean): Html {
  const most = Math.max(...bands.map(({ waiting }) => waiting), 1);
  const hasWait = isWaitKnown(bands);
  return html`<table><caption>By fee, the highest first</caption>
<thead><tr><th scope="col">Fee, STX</th>${hasPending && html`<th scope="col" colspan="2">Pending</th>`}<th scope="col" class="number">Confirmed</th>${hasWait && html`<th scope="col" class="number">Waited</th>`}</tr></thead>
<tbody>${bands.map(
    ({ band, waiting, mined }) =>
      html`<tr><th scope="row">${feeText(band)}</th>${hasPending && html`<td class="number">${grouped(waiting)}</td><td>${bar((100 * waiting) / most)}</td>`}<td class="number">${grouped(mined)}</td>${hasWait && html`<td class="number">${band.waited.median_blocks}</td>`}</tr>
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

/** The pending transaction of a sender with a nonce, if it is among its 50 newest. */
export async function pendingOfNonce(
  api: ApiClient,
  sender: string,
  nonce: number,
): Promise<Api.Transaction | undefined> {
  const { results } = await api.get<Api.OffsetPage<Api.Transaction>>(
    `/extended/v1/tx/mempool${query({ sender_address: sender, limit: 50 })}`,
  );
  return results.find(tx => tx.nonce === nonce);
}

/** Confirmed transactions of the band that a fee is in. @param fee in micro-STX */
function confirmedLately(fee: bigint, { bands, mined_in: { from_height, to_height } }: Api.MempoolBands) {
  const band = bands.find(
    each => fee >= BigInt(each.from_fee) && (each.below_fee === null || fee < BigInt(each.below_fee)),
  );
  if (!band || from_height === null || to_height === null) return undefined;
  const { count, median_blocks } = band.waited;
  return { count: sumOf(band.mined), waited: count > 0 ? median_blocks : null, blocks: to_height - from_height + 1 };
}

/** Why a transaction is not confirmed yet: checks of the nonces, the balance and the fee. */
export async function waitingCard(api: ApiClient, tx: Api.Transaction): Promise<Html> {
  const { sender_address: sender, sponsor_address: sponsor, fee_rate: fee, nonce } = tx;
  const payer = sponsor ?? sender;
  const [nonces, sponsorNonces, balance, fees, bands, position] = await Promise.all([
    api.get<Api.NoncesOfPrincipal>(`/extended/v3/principals/${pathTo(sender)}/nonces`),
    sponsor === undefined
      ? undefined
      : api.get<Api.NoncesOfPrincipal>(`/extended/v3/principals/${pathTo(sponsor)}/nonces`),
    api.get<Api.StxPosition>(`/extended/v3/principals/${pathTo(payer)}/balances/stx`),
    api.get<Api.MempoolFees>('/extended/v2/mempool/fees'),
    api.get<Api.MempoolBands>('/extended/v3/mempool/bands'),
    api.find<Api.MempoolPosition>(`/extended/v3/mempool/transactions/${pathTo(tx.tx_id)}/position`),
  ]);
  const next = (nonces.last_confirmed_nonce ?? -1) + 1;
  const first = nonce > next ? await pendingOfNonce(api, sender, next) : undefined;
  const needed = BigInt(fee) + (sponsor === undefined ? BigInt(tx.token_transfer?.amount ?? 0) : 0n);
  const [type, name] = FEE_TYPES.find(([type]) => type === tx.tx_type) ?? ['all', 'transaction'];
  const levels = fees[type];
  const others = {
    type: `${name}s`,
    low: levels?.no_priority ?? 0,
    median: levels?.low_priority ?? 0,
    high: levels?.medium_priority ?? 0,
  };
  const checks = [
    nonceCheck(nonce, sender, nonces, 'sender', first && html`: first ${txLink(first.tx_id)}, nonce ${first.nonce}`),
    ...(sponsor !== undefined && sponsorNonces && tx.sponsor_nonce !== undefined
      ? [nonceCheck(tx.sponsor_nonce, sponsor, sponsorNonces, 'sponsor')]
      : []),
    balanceCheck(payer, BigInt(balance.available), needed),
    feeCheck(BigInt(fee), others, position?.fee, confirmedLately(BigInt(fee), bands)),
  ];
  return html`<div class="card wait"><h2>Why it is pending</h2><ul class="checks">${checks.map(({ level, text }) => {
    const { glyph, kind, word } = MARK_OF_LEVEL[level];
    return html`<li data-level="${level}"><span class="${kind}"><span aria-hidden="true">${glyph}</span><span class="unseen">${word}</span></span> ${text}</li>`;
  })}</ul><p class="verdict">${verdictOf(checks)}</p>${position && html`<p>First seen ${time(position.receipt_time)}. ${counted(position.blocks_waited, 'block has', 'blocks have')} come since. If no block takes it, nodes drop it about ${time(position.forgotten_after)}.</p>`}</div>`;
}
