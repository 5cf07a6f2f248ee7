import { type Html, html } from '../html.ts';

/** Longer sources are shown plain: a mark for every word would make the page several times as large. */
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
