import type * as Api from '../../routes/records.ts';
import { signedStx, stx } from '../format/amounts.ts';
import { time } from '../format/times.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { dataTable, facts, heading, section, summary, tabs } from '../parts/lists.ts';
import { bar } from '../parts/picture.ts';
import { chip, stateOf } from '../words/states.ts';

const STATUSES = [
  'success',
  'pending',
  'abort_by_post_condition',
  'problematic_skipped',
  'dropped_replace_by_fee',
  'dropped_stale_garbage_collect',
] as const;

/** Every component of the pages, for work on the style, and for browser tests. */
export const galleryPage: PageRenderer = async () => ({
  title: 'Components',
  body: html`${heading('Stacks', 'Components')}
${summary([
  ['Key figure', html`<b>${stx(1_899_650_000)}</b>`],
  ['With a remark', html`7 <small>of 61 blocks</small>`],
  ['Time', time(1_700_000_000)],
])}
${section('Status', html`<p>${STATUSES.map(tx_status => [chip(stateOf({ tx_status } as Api.Transaction)), ' '])}</p>`)}
${tabs('Tabs', [
  { text: 'Open', path: 'gallery', isCurrent: true },
  { text: 'Other', path: 'gallery', isCurrent: false },
])}
<div class="columns-2">${section(
    'Table',
    dataTable(
      'Amounts',
      [
        { head: 'Name', cell: ({ name }) => html`<a href="gallery">${name}</a>` },
        { head: 'Amount', numeric: true, cell: ({ amount }) => stx(amount) },
        { head: 'Change', numeric: true, cell: ({ amount }) => signedStx(amount - 1_000_000n) },
        { head: 'Share', cell: ({ amount }) => bar(Number(amount / 100_000n)) },
      ],
      AMOUNTS,
      '',
    ),
  )}
${section(
  'Facts',
  facts([
    ['Name', 'value'],
    ['Longer name', html`<code>0x51c0e2</code>`],
  ]),
)}</div>
${section('Empty', dataTable('Nothing', [{ head: 'Name', cell: () => '' }], [], 'There is none yet.'))}
<div class="card bad"><h2>A failure</h2><p>The reason of it.</p></div>
<div class="card wait"><h2>A delay</h2><p>The reason of it.</p></div>
<p class="band">A remark.</p>
<p class="band gone">Not part of the chain.</p>`,
});

const AMOUNTS = [
  { name: 'a', amount: 370n },
  { name: 'b', amount: 9_360_000n },
  { name: 'c', amount: 5_000_000n },
];
