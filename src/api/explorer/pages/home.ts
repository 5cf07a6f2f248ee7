import type * as Api from '../../routes/records.ts';
import { stxNumber } from '../format/amounts.ts';
import { blockLink, burnLink, nameLink, principalLink, tokenLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, type HtmlValue, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, heading, section } from '../parts/lists.ts';
import { feeBands } from '../parts/mempool.ts';
import { chainPicture } from '../parts/picture.ts';
import { cycleBar } from '../parts/stacking.ts';
import { sentence, transactionTable } from '../parts/transactions.ts';

const ROWS = 4;
const COLUMNS = 30;
const LISTED = 15;

/** The chain as it is now. */
export const homePage: PageRenderer = async api => {
  const [status, blocks, burnBlocks, cells, newest, bands, fees, times, cycle, cycles, contracts, tokens, names] =
    await Promise.all([
      api.get<Api.Status>('/extended'),
      api.get<Api.OffsetPage<Api.Block>>(`/extended/v2/blocks?limit=${COLUMNS}`),
      api.get<Api.OffsetPage<Api.BurnBlock>>(`/extended/v2/burn-blocks?limit=${ROWS}`),
      api.find<Api.CellsOfBlocks>(`/extended/v3/blocks/latest/cells?blocks=${COLUMNS}`),
      api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx?limit=50'),
      api.get<Api.MempoolBands>('/extended/v3/mempool/bands'),
      api.get<Api.MempoolFees>('/extended/v2/mempool/fees'),
      api.get<Api.AverageBlockTimes>('/extended/v2/blocks/average-times'),
      api.find<Api.StakingCycle>('/extended/v3/staking/cycles/current'),
      api.get<Api.OffsetPage<Api.PoxCycle>>('/extended/v2/pox/cycles?limit=3'),
      api.get<Api.OffsetPage<Api.Transaction>>('/extended/v1/tx?type=smart_contract&limit=5'),
      api.get<Api.OffsetPage<Api.FungibleToken>>('/metadata/v1/ft?limit=5'),
      api.get<readonly string[]>('/v1/names'),
    ]);
  const [tip] = blocks.results;
  const body = html`${heading('Stacks', 'The chain now')}
<p id="tip" data-part="tip" class="lead">${tip ? tipLine(tip, status, times.last_1h) : 'There is no block yet.'}</p>
<div class="now">
<div data-part="waiting">${feeBands(bands)}</div>
<div data-part="picture">${chainPicture({ burnBlocks: burnBlocks.results, blocks: blocks.results, cells: cells?.results ?? [] })}</div>
</div>
<div class="columns-3">
${section('Fees', feeAdvice(fees), 'fees')}
${section('Stacking', cycleBar(cycle, cycles.results, status.chain_tip?.burn_block_height ?? 0), 'cycle')}
${section('Look up', examples(newest.results, tip, names[0]))}
</div>
${section('Newest transactions', newestTransactions(newest.results), 'transactions')}
<div class="columns-3">
${section('Newest contracts', lines(contracts.results.map(sentence)), 'contracts')}
${section('Tokens', lines(tokens.results.map(token => tokenLink(token.asset_identifier, token.name || token.symbol || assetName(token)))), 'tokens')}
${section('Names', lines(names.slice(0, 5).map(nameLink)))}
</div>`;
  return { title: 'The chain now', body, live: ['block', 'burn-block', 'mempool'] };
};

const assetName = ({ asset_identifier }: Api.FungibleToken): string => asset_identifier.split('::')[1] ?? '';

const tipLine = (tip: Api.Block, status: Api.Status, mean: number): Html =>
  html`Block ${blockLink(tip.height)}, ${time(tip.block_time)}, on Bitcoin block ${burnLink(status.chain_tip?.burn_block_height ?? tip.burn_block_height)}${
    mean > 0 && mean < 600 && html`; a block every ${mean.toFixed(0)} s in the last hour`
  }.`;

/**
 * Transactions of miners are folded into a number: they come with every block, and readers rarely look for them here.
 */
function newestTransactions(transactions: readonly Api.Transaction[]): Html {
  const ofPeople = transactions.filter(tx => tx.tx_type !== 'coinbase' && tx.tx_type !== 'tenure_change');
  const listed = ofPeople.slice(0, LISTED);
  return html`${transactionTable('Newest transactions', listed, ['state', 'what', 'block', 'when', 'id'], 'There are none yet.')}
<p><a href="blocks">All blocks</a></p>`;
}

function feeAdvice(fees: Api.MempoolFees): Html {
  const rows = FEE_TYPES.flatMap(([type, name]) => {
    const levels = fees[type];
    return levels && levels.high_priority > 0 ? [{ name, levels }] : [];
  });
  return dataTable(
    'Fees of what waits, by kind',
    [
      { head: 'STX for a', cell: ({ name }) => name },
      { head: 'low', numeric: true, cell: ({ levels }) => stxNumber(levels.no_priority) },
      { head: 'usual', numeric: true, cell: ({ levels }) => stxNumber(levels.low_priority) },
      { head: 'fast', numeric: true, cell: ({ levels }) => stxNumber(levels.medium_priority) },
    ],
    rows,
    'Hardly anybody is waiting: any fee works now.',
  );
}

const FEE_TYPES: readonly (readonly [type: Api.TypeOfFee, name: string])[] = [
  ['token_transfer', 'transfer'],
  ['contract_call', 'call'],
  ['smart_contract', 'deployment'],
];

/** Examples that exist on this chain. */
function examples(
  transactions: readonly Api.Transaction[],
  tip: Api.Block | undefined,
  name: string | undefined,
): Html {
  const call = transactions.find(tx => tx.contract_call);
  const sent = transactions.find(tx => tx.token_transfer);
  return lines([
    tip && html`a height: ${blockLink(tip.height)}`,
    sent && html`an address: ${principalLink(sent.sender_address)}`,
    call?.contract_call && html`a contract: ${principalLink(call.contract_call.contract_id)}`,
    name !== undefined && html`a name: ${nameLink(name)}`,
    tip && html`what waits: <a href="mempool">the mempool</a>`,
  ]);
}

const lines = (items: readonly HtmlValue[]): Html => {
  const given = items.filter(Boolean);
  return given.length === 0
    ? html`<p class="none">None yet.</p>`
    : html`<ul class="lines">${given.map(item => html`<li>${item}</li>`)}</ul>`;
};
