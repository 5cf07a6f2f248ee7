import { openHostileChain, PAYLOAD_GROUPS, transferWithMemo } from '../explorer/hostile-chain.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import type { Finding, Size } from './finding.ts';

/** Elements, attributes and addresses that no page of the explorer has unless a text became HTML. */
const ELEMENT = /<script>|<img src=x|<svg onload|<iframe|<taken|<b onclick|<object|<math|<video|<form action="\/\/x/;
const ATTRIBUTE = /\s(on\w+|style|formaction)\s*=|'/;
const ADDRESS = /(?:href|src|action)="\s*(?:javascript|data|vbscript|\/\/)/;

/** Markup in names, descriptions, images and attributes of tokens, and in all other texts that anyone can write. */
export async function markup({ name }: Size): Promise<Finding[]> {
  const groups = name === 'full' ? PAYLOAD_GROUPS : PAYLOAD_GROUPS.slice(2, 3);
  const broken = new Set<string>();
  let pages = 0;
  for (const payloads of groups) {
    const chain = await openHostileChain(payloads);
    try {
      for (const [place, path] of chain.pages) {
        const { body, status } = await chain.index.page(path);
        pages++;
        const tags = [...body.matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag);
        const isBroken = tags.some(tag => ATTRIBUTE.test(tag.replaceAll(/"[^"]*"/g, '""')) || ADDRESS.test(tag));
        if (status >= 500 || ELEMENT.test(body) || isBroken) broken.add(place);
      }
    } finally {
      await chain.close();
    }
  }
  return [
    { what: `places where a text is HTML (${[...broken].join(', ')})`, worst: broken.size, bound: 0, unit: '' },
    { what: 'whether no page was looked at', worst: pages > 0 ? 0 : 1, bound: 0, unit: '' },
  ];
}

/** Characters that spreadsheets skip at the beginning of a cell, and characters that begin a formula, including full-width forms. */
const PASSED_OVER = [
  '',
  '\0',
  ' ',
  '\t',
  '\r\n',
  '\u0001',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u202e',
  '\ufeff\u2060',
  '\u3000',
  '\u{e0001}',
];
const SIGNS = [
  '=',
  '+',
  '-',
  '@',
  '\uff1d',
  '\uff0b',
  '\uff0d',
  '\uff20',
  '\ufe66',
  '\ufe62',
  '\ufe63',
  '\ufe6b',
  '\u207a',
  '\u208c',
];
/** A part of every formula, and a text that must stay as it is. */
const FORMULA = 'cmd|1+1';
const HARMLESS = 'paid: 5-3 = 2';

/** Formulas in memos, after characters that spreadsheets skip, in the downloaded history of an account. */
export async function formulas({ name }: Size): Promise<Finding[]> {
  const fresh = await openFreshOf.sqlite();
  try {
    const index = await openTestIndex(fresh.database);
    const chain = new ChainBuilder('formulas');
    const passed = name === 'full' ? PASSED_OVER : PASSED_OVER.slice(0, 3);
    const memos = passed.flatMap(before => SIGNS.map(sign => `${before}${sign}${FORMULA}`));
    await index.deliver(chain.block({ txs: [...memos, HARMLESS].map(memo => transferWithMemo(chain, memo)) }).delivery);
    const { body } = await index.page(`/extended/v3/principals/${accountAddress(9)}/transactions?format=csv`);
    // Every cell is quoted, so a memo cannot end it (RFC 4180).
    const cells = [...body.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell ?? '');
    const hostile = cells.filter(cell => cell.includes(FORMULA));
    const running = hostile.filter(cell => !cell.startsWith("'"));
    return [
      { what: `formulas that run, of ${memos.length}`, worst: running.length, bound: 0, unit: '' },
      { what: 'memos that are missing', worst: memos.length - hostile.length, bound: 0, unit: '' },
      { what: 'texts that are changed', worst: cells.includes(HARMLESS) ? 0 : 1, bound: 0, unit: '' },
    ];
  } finally {
    await fresh.cleanup();
  }
}
