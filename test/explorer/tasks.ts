import assert from 'node:assert/strict';
import type { TestIndex } from '../support/test-index.ts';
import { ACCOUNT, DEPLOYER, SWAP, WAITING } from './pages.ts';

/** A step of a reader: a link by its text, or a form with what is typed into it. */
type Step = { readonly click: RegExp } | { readonly form: string; readonly fields: Readonly<Record<string, string>> };

/** A question of a reader who knows nothing but the address of the explorer, and a path that answers it. */
interface Task {
  readonly question: string;
  readonly steps: readonly Step[];
  /** What the last page says. */
  readonly answer: RegExp;
}

const search = (q: string): Step => ({ form: 'search', fields: { q } });
const account = `address/${ACCOUNT}`;
const tokenA = `${DEPLOYER}.token-a`;

/** The tasks of docs/explorer.md#twelve-tasks, over the sample chain. */
export const TASKS: readonly Task[] = [
  {
    question: 'Why is my transaction waiting?',
    steps: [search(WAITING)],
    answer: /Why it is pending/,
  },
  {
    question: 'What did this call move?',
    steps: [search(SWAP)],
    answer: /swaps <b>.*Asset changes.*<td data-head="Change"/s,
  },
  {
    question: 'Who holds most of this token?',
    steps: [{ click: /^Tokens$/ }, { click: /^tokena$|^Token A$/i }],
    answer: /Holders, the richest first.*<tr><td data-head="Holder"[^>]*><a /s,
  },
  {
    question: 'What did I receive in November?',
    steps: [
      search(ACCOUNT),
      { click: /^Movements$/ },
      { form: account, fields: { tab: 'movements', from: '2026-11-01', to: '2026-11-30' } },
    ],
    answer: /<td data-head="Movement">Received.*?<data value="\d+"/s,
  },
  { question: 'Is this name free?', steps: [search('free-name.sim')], answer: /free-name\.sim is not registered/ },
  {
    question: 'Which blocks were orphaned today?',
    steps: [{ click: /^Forks$/ }, { click: /^Heights? [\d,]+/ }],
    answer: /Blocks of the fork.*<td data-head="Block"[^>]*><a .*<td data-head="Time"[^>]*><time datetime=/s,
  },
  {
    question: 'What does this function take?',
    steps: [search(tokenA)],
    answer: /<bdi>transfer<\/bdi>.*?<bdi>amount<\/bdi> <small>uint/s,
  },
  {
    question: 'How is stacking in the next cycle?',
    steps: [{ click: /^Stacking$/ }],
    answer: /The next cycle(, \d+, begins at| will have)/,
  },
  {
    question: 'Is this token a copy?',
    steps: [{ click: /^Tokens$/ }, { click: /^tokena$|^Token A$/i }],
    answer: /other token has a symbol or a name that looks like this one’s/,
  },
  { question: 'Which fee now?', steps: [], answer: /Fees now.*<td data-head="low".*<data value="\d+"/s },
  {
    question: 'Which Bitcoin block anchors this?',
    steps: [search(SWAP)],
    answer: /<dt>Bitcoin block<\/dt><dd><a href="btc\/\d+"/,
  },
  {
    question: 'What was the balance on a past date?',
    steps: [search(ACCOUNT), { form: account, fields: { at: '2026-11-19' } }],
    answer: /As of block .*<dt>Balance<\/dt><dd><b><data value="\d+"/s,
  },
];

/** Most steps of a task: each is a click, or a text with a click. */
const MOST_STEPS = 5;

/** Takes the steps of a task from the first page on. Each link and form has to be on the page before. @throws AssertionError */
export async function replayTask(index: TestIndex, { question, steps, answer }: Task): Promise<void> {
  assert.ok(steps.length <= MOST_STEPS, question);
  let { path, body } = await open(index, '/explorer');
  for (const step of steps) {
    const next = 'click' in step ? linkIn(body, step.click) : formIn(body, step.form, step.fields);
    assert.ok(
      next !== undefined,
      `${question}: ${path} has no ${JSON.stringify('click' in step ? String(step.click) : step)}`,
    );
    const base = new URL(/<base href="([^"]+)">/.exec(body)?.[1] ?? '', `http://a${path}`);
    const { pathname, search } = new URL(next, base);
    ({ path, body } = await open(index, pathname + search));
  }
  assert.match(body.slice(body.indexOf('<main'), body.indexOf('</main>')), answer, `${question} ${path}`);
}

/** The page, or the one that it leads to. */
async function open(index: TestIndex, path: string): Promise<{ readonly path: string; readonly body: string }> {
  const { status, headers, body } = await index.page(path);
  if (status !== 302) return { path, body };
  const { pathname, search } = new URL(String(headers.location), `http://a${path}`);
  return open(index, pathname + search);
}

const textIn = (part: string): string =>
  part
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function linkIn(body: string, text: RegExp): string | undefined {
  for (const [, href = '', inner = ''] of body.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs))
    if (text.test(textIn(inner))) return href.replaceAll('&amp;', '&');
  return undefined;
}

/** The address that a form leads to, if it has all these fields. */
function formIn(body: string, action: string, fields: Readonly<Record<string, string>>): string | undefined {
  for (const [form = ''] of body.matchAll(/<form [^>]*>.*?<\/form>/gs)) {
    const names = [...form.matchAll(/ name="([^"]+)"/g)].map(([, name]) => name);
    if (form.includes(` action="${action}"`) && Object.keys(fields).every(name => names.includes(name)))
      return `${action}?${new URLSearchParams(fields)}`;
  }
  return undefined;
}
