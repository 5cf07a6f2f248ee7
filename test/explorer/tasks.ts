import assert from 'node:assert/strict';
import { ACCOUNT, SWAP } from './pages.ts';
import type { Reader, Step } from './reader.ts';

/** A question of a reader who knows nothing but the address of the explorer, and a path that answers it. */
interface Task {
  readonly question: string;
  readonly steps: readonly Step[];
  /** What the last page shows, in its words. */
  readonly answer: RegExp;
}

const click = (words: string | RegExp): Step => ({ click: words });
const search = (typed: string): Step => ({ fill: { 'Address, hash, block, name': typed }, press: 'Search' });

/**
 * The tasks of docs/explorer.md#twelve-tasks, over the sample chain. All its blocks are of one day: "today" and "a past date" are that day, and the month is its
 * month. An account as of an earlier block than the newest has no form: src/api/explorer/explorer.test.ts opens that page by its address.
 */
export const TASKS: readonly Task[] = [
  {
    question: 'Why is my transaction waiting?',
    steps: [click('Mempool'), click('0x8c9620…94e5e8')],
    answer: /^Why it is pending\n.*\b14 transactions with earlier nonces are pending/m,
  },
  {
    question: 'What did this call move?',
    steps: [search('amm'), click(/^Contract .*\.amm$/), click('0x3e2c40…26bfc9')],
    answer: /^ST2P5B…HNG6TD swaps [\d,.]+ TKA for .*^Asset changes\n.*^ST2P5B…HNG6TD \| −[\d,.]+ TKA/ms,
  },
  {
    question: 'Who holds most of this token?',
    steps: [click('Tokens'), click('Token A')],
    answer: /^Holders, the richest first\n.*Balance, TKA.*\nST2P5B…HNG6TD \| 789,409,640\.534781 \| 81\.86 %/m,
  },
  {
    question: 'What did I receive in November?',
    steps: [
      search(ACCOUNT),
      click('Movements'),
      { fill: { 'Which way': 'received', from: '2026-11-01', to: '2026-11-30' }, press: 'Show' },
    ],
    answer: /^STX from 2026-11-01 to 2026-11-30\n.*\bReceived\b.*^Received \| 366\.500229 STX \| STBPKK…1RV39G \|/ms,
  },
  {
    question: 'Is this name free?',
    steps: [search('free-name.sim')],
    answer: /\bfree-name\.sim is (not registered|free)\b/,
  },
  {
    question: 'Which blocks were orphaned today?',
    steps: [click('Forks'), click(/^Heights 140 to 143$/)],
    answer: /^Not part of the chain: 4 blocks\b.*^140 \| 0xc51ece…41b9b1 \| 2026-11-19 13:51:50 UTC/ms,
  },
  {
    question: 'What does this function take?',
    steps: [search('vault')],
    answer: /^Functions\n.*^deposit \| public \| amount uint\b/ms,
  },
  {
    question: 'How is stacking in the next cycle?',
    steps: [click('Stacking')],
    answer: /\bnext cycle, 9, begins at Bitcoin block 180\b/,
  },
  {
    question: 'Is this token a copy?',
    steps: [click('Tokens'), click('Token A')],
    answer:
      /^1 other token has a symbol or a name that looks like this one’s, the oldest first: TKA of .*\.token-b\. This one is the oldest/m,
  },
  {
    question: 'Which fee now?',
    steps: [],
    answer: /^Fees now\n.*^transfer \| 0\.001475 \| 0\.007983 \| 0\.077734$/ms,
  },
  {
    question: 'Which Bitcoin block anchors this?',
    steps: [search(SWAP), click('169')],
    answer: /^Bitcoin block 169\n0x[\da-f]{64}\b/m,
  },
  {
    question: 'What was the balance on a past date?',
    steps: [search(ACCOUNT), { fill: { 'As of the end of': '2026-11-19' }, press: 'Show' }],
    answer: /\bAs of block 156\b.*^Balance \| 2,021,826\.727471 STX$/ms,
  },
];

/** Most steps of a task: each is a click, or a form with its button. */
const MOST_STEPS = 5;

/** Takes the steps of a task. Each page has to offer the next step in its words. @param first of the first page @throws AssertionError */
export async function replayTask(first: Reader, { question, steps, answer }: Task): Promise<void> {
  assert.ok(steps.length <= MOST_STEPS, question);
  let reader = first;
  for (const step of steps) reader = await reader.take(step);
  assert.match(reader.words, answer, question);
}
