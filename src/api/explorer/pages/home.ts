import type * as Api from '../../routes/records.ts';
import { grouped, stx } from '../format/amounts.ts';
import { blockLink, burnLink, nameLink, tokenLink } from '../format/links.ts';
import { aboutDuration, DAY, time, timeOfBlock } from '../format/times.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading, section, summary } from '../parts/lists.ts';
import { feeAdvice, feeBands, pendingIn } from '../parts/mempool.ts';
import { chainPicture } from '../parts/picture.ts';
import { cycleBar } from '../parts/stacking.ts';
import { sentence, transactionTable } from '../parts/transactions.ts';

const ROWS = 4;
const COLUMNS = 30;
const LISTED = 15;

/** The current state of the chain. */
export const homePage: PageRenderer = async api => {
  const [status, blocks, burnBlocks, cells, newest, bands, fees, times] = await Promise.all([
    api.get<Api.Status>('/extended'),
    api.get<Api.OffsetPage<Api.Block>>(`/extended/v2/blocks?limit=${COLUMNS}`),
    api.get<Api.OffsetPage<Api.BurnBlock>>(`/extended/v2/burn-blocks?limit=${ROWS}`),
    api.find<Api.CellsOfBlocks>(`/extended/v3/blocks/latest/cells?blocks=${COLUMNS}`),
    api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx?limit=50'),
    api.get<Api.MempoolBands>('/extended/v3/mempool/bands'),
    api.get<Api.MempoolFees>('/extended/v2/mempool/fees'),
    api.get<Api.AverageBlockTimes>('/extended/v2/blocks/average-times'),
  ]);
  const [tip] = blocks.results;
  const [cycle, cycles, supply, forks, contracts, tokens, names, ofDay] = await Promise.all([
    api.find<Api.StakingCycle>('/extended/v3/staking/cycles/current'),
    api.get<Api.OffsetPage<Api.PoxCycle>>('/extended/v2/pox/cycles?limit=3'),
    api.get<Api.StxSupply>('/extended/v3/tokens/stx/supply'),
    api.get<Api.PageByCursor<Api.Fork>>('/extended/v3/forks?limit=1'),
    api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx?type=smart_contract&limit=5'),
    api.get<Api.OffsetPage<Api.FungibleToken>>('/metadata/v1/ft?limit=5'),
    api.get<readonly string[]>('/v1/names'),
    tip && api.get<Api.OffsetPage<Api.Transaction>>(`/extended/v1/tx?limit=1&start_time=${timeOfBlock(tip) - DAY}`),
  ]);
  const stacked = cycles.results.find(({ cycle_number }) => cycle_number === cycle?.number)?.total_stacked_amount;
  const body = html`${heading('Stacks', 'The chain now')}
<div data-part="tip">${
    tip
      ? summary([
          [
            'Newest block',
            html`${blockLink(tip.height)} <small>${time(timeOfBlock(tip))}${quietText(timeOfBlock(tip))}</small>`,
          ],
          ['On Bitcoin block', burnLink(tip.burn_block_height)],
          ['Time between blocks', times.last_1h > 0 && `${times.last_1h.toFixed(1)} s in the last hour`],
          [
            'Transactions',
            ofDay && html`${grouped(ofDay.total)} <small>in the 24 hours before the newest block</small>`,
          ],
          ['Pending', html`<a href="mempool">${grouped(pendingIn(bands))}</a>`],
          ['Stacked', stacked !== undefined && stackedShare(stacked, supply)],
          ['Forks seen', html`<a href="forks">${grouped(forks.total)}</a>`],
        ])
      : html`<p class="lead">There is no block yet.</p>`
  }</div>
<div class="main-and-side"><div>
${section('Newest blocks', chainPicture({ burnBlocks: burnBlocks.results, blocks: blocks.results, cells: cells?.results ?? [] }), 'picture')}
${section('Stacking', cycleBar(cycle, cycles.results, status.chain_tip?.burn_block_height ?? 0), 'cycle')}
</div><div>
${section('Fees now', feeAdvice(fees), 'fees')}
${section('Pending transactions', feeBands(bands), 'waiting')}
</div></div>
${section('Newest transactions', newestTransactions(newest.results), 'transactions')}
<div class="columns-3">
${section('Newest contracts', lines(contracts.results.map(sentence)), 'contracts')}
${section('Tokens', lines(tokens.results.map(token => tokenLink(token.asset_identifier, token.name || token.symbol || assetName(token)))), 'tokens')}
${section('Names', lines(names.slice(0, 5).map(nameLink)))}
</div>`;
  return { title: 'The chain now', body, live: ['block', 'burn-block', 'mempool'] };
};

const assetName = ({ asset_identifier }: Api.FungibleToken): string => asset_identifier.split('::')[1] ?? '';

/** Seconds without a block after which the page has a note: usually a block comes within seconds. */
const QUIET = 3600;

/** The time without a block, if it is long. @param newest Unix seconds */
function quietText(newest: number): Html | false {
  const seconds = Date.now() / 1000 - newest;
  return seconds > QUIET && html` <span class="warn">no block for ${aboutDuration(seconds)}</span>`;
}

/** The stacked STX: a rounded share, and the exact amount. */
function stackedShare(stacked: string, { total }: Api.StxSupply): Html {
  const supply = BigInt(total);
  const permille = supply > 0n ? Number((BigInt(stacked) * 1000n) / supply) : 0;
  return html`${(permille / 10).toFixed(1)} % <small>of the supply: ${stx(stacked)}</small>`;
}

/**
 * Transactions of miners are folded into a number: they come with every block, and readers rarely look for them here.
 */
function newestTransactions(transactions: readonly Api.Transaction[]): Html {
  const ofPeople = transactions.filter(tx => tx.tx_type !== 'coinbase' && tx.tx_type !== 'tenure_change');
  const listed = ofPeople.slice(0, LISTED);
  return html`${transactionTable('Newest transactions', listed, ['state', 'what', 'block', 'when', 'id'], 'There are none yet.')}
<p><a href="blocks">All blocks</a></p>`;
}

const lines = (items: readonly HtmlValue[]): Html => {
  const given = items.filter(Boolean);
  return given.length === 0
    ? html`<p class="none">None yet.</p>`
    : html`<ul class="lines">${given.map(item => html`<li>${item}</li>`)}</ul>`;
};
