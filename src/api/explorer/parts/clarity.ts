/** Clarity for readers: values as trees, and source with highlighting. */
import { type ClarityValue, decodeClarityValue } from '../../../base/codec/index.ts';
import type * as Api from '../../routes/records.ts';
import { grouped } from '../format/amounts.ts';
import { principalLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';

/** Most parts of a value to draw; the rest is shown in Clarity's notation. */
const MOST_PARTS = 1000;
const LONGEST_TEXT = 2000;

/** A Clarity value as a tree: names, types and links. */
export function clarityTree({ hex, repr }: Api.ValueRecord): Html {
  const decoded = decodeClarityValue(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
  if (!decoded.ok || partsOf(decoded.value) > MOST_PARTS) return html`<code class="value">${cut(repr)}</code>`;
  return tree(decoded.value);
}

function partsOf(value: ClarityValue): number {
  switch (value.type) {
    case 'list':
      return value.items.reduce((sum, item) => sum + partsOf(item), 1);
    case 'tuple':
      return value.entries.reduce((sum, entry) => sum + partsOf(entry.value), 1);
    case 'some':
    case 'ok':
    case 'err':
      return 1 + partsOf(value.value);
    default:
      return 1;
  }
}

function tree(value: ClarityValue): Html {
  switch (value.type) {
    case 'int':
    case 'uint':
      return html`<span class="number-value">${grouped(value.value).replace('-', '−')}</span> <small>${value.type}</small>`;
    case 'bool':
      return html`<b>${String(value.value)}</b>`;
    case 'buffer':
      return bufferValue(Buffer.from(value.value));
    case 'principal':
      return principalLink(value.value);
    case 'string-ascii':
    case 'string-utf8':
      return html`<q><bdi>${cut(value.value)}</bdi></q>`;
    case 'none':
      return html`<span class="dim">none</span>`;
    case 'some':
      return tree(value.value);
    case 'ok':
    case 'err':
      return html`<b class="${value.type === 'ok' ? 'in' : 'out'}">${value.type}</b> ${tree(value.value)}`;
    case 'list':
      return value.items.length === 0 ? html`<span class="dim">empty list</span>` : listTree(value.items);
    case 'tuple':
      return html`<dl class="tree">${value.entries.map(
        entry => html`<div><dt><bdi>${entry.name}</bdi></dt><dd>${tree(entry.value)}</dd></div>`,
      )}</dl>`;
    default:
      return value satisfies never;
  }
}

/** Number of open items of a list; further ones are collapsed. */
const OPEN_ITEMS = 10;

function listTree(items: readonly ClarityValue[]): Html {
  const line = (item: ClarityValue): Html => html`<li>${tree(item)}</li>`;
  const rest = items.slice(OPEN_ITEMS);
  return html`<div><ol class="tree">${items.slice(0, OPEN_ITEMS).map(line)}</ol>${
    rest.length > 0 &&
    html`<details><summary>${grouped(rest.length)} more</summary><ol class="tree" start="${OPEN_ITEMS + 1}">${rest.map(line)}</ol></details>`
  }</div>`;
}

/** A buffer as hex, and also as text if it is printable. */
function bufferValue(bytes: Buffer): Html {
  const text = bytes.toString('latin1');
  const isText = bytes.length > 0 && /^[\x20-\x7e]+$/.test(text);
  return html`<code class="value">${cut(`0x${bytes.toString('hex')}`)}</code>${isText && html` <q><bdi>${cut(text)}</bdi></q>`}`;
}

const cut = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (${grouped(text.length)} characters)`;

/** Longest highlighted source: highlighting makes the page several times as large. */
const LONGEST_MARKED = 64 * 1024;

/** Source of a contract with numbered lines that links can name. @param path of its page below `/explorer/` */
export function sourceCode(source: string, path: string): Html {
  const isMarked = source.length <= LONGEST_MARKED;
  const lines = source.split('\n').map((line, i) => {
    const number = i + 1;
    return html`<span class="line" id="L${number}"><a class="n" href="${path}#L${number}" aria-label="Line ${number}">${number}</a>${isMarked ? marked(line) : line}
</span>`;
  });
  return html`<pre class="source"><code>${lines}</code></pre>`;
}

/** Comments, strings, literals and words that define; a string or a comment never goes over a line. */
const TOKEN =
  /(?<comment>;.*$)|(?<string>u?"(?:\\.|[^"\\])*")|(?<literal>'S[0-9A-Z]{20,41}(?:\.[\w-]+)?|(?<![\w-])u?\d+(?![\w-])|(?<![\w-])0x[0-9a-fA-F]*)|(?<keyword>(?<=\()(?:define-[\w-]+|let|begin|if|match|try!|asserts!|unwrap!|unwrap-panic|unwrap-err!|map|fold|filter|impl-trait|use-trait|contract-call\?|as-contract|print|ok|err|some)(?![\w-]))/g;

function marked(line: string): readonly (Html | string)[] {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['plain'];
    parts.push(line.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return [...parts, line.slice(end)];
}
