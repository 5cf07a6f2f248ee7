import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { findByText } from '../parts/finders.ts';
import type { Findings, SearchFinding } from '../parts/findings.ts';
import { heading } from '../parts/lists.ts';

/**
 * The search for a typed or pasted text: one hit redirects to its page, several are listed, and hits that differ from
 * the text are only offered. With `suggest` there is no redirect.
 */
export const searchPage: PageRenderer = async (api, { query: asked, network }) => {
  const term = termOf(asked.q ?? '');
  const isTyping = asked.suggest !== undefined;
  const { found, understood, isOffer }: Findings =
    term === '' ? { found: [], understood: 'Type a text above.' } : await findByText(api, { term, isTyping, network });
  const [only] = found;
  if (only && found.length === 1 && !isOffer && !isTyping) return { to: only.path };
  const body = html`${heading('Search', term === '' ? 'What do you look for?' : html`<bdi>${term.slice(0, 100)}</bdi>`)}
${(isOffer || found.length === 0) && html`<p class="none">${understood}</p>`}
<div data-part="results">${found.length > 0 && hits(found)}</div>
${found.length === 0 && html`<p>The search takes a height, a hash of 64 digits (of a transaction, a block or a Bitcoin block), an address of Stacks or Bitcoin, a contract (<code>address.name</code>), a name (<code>alice.btc</code>), an address with a nonce (<code>ADDRESS#7</code>), part of the name of a contract or token, a symbol, a function (<code>transfer</code>, <code>vault.deposit</code>), a shortened hash or address (<code>0x350063…c8c2dc</code>), or the text of an error.</p>`}`;
  return { title: 'Search', body, searched: term, status: found.length === 0 && term !== '' ? 404 : 200 };
};

const hits = (found: readonly SearchFinding[]): Html =>
  html`<ul class="hits">${found.map(({ kind, name, path }) => html`<li><a href="${path}"><small>${kind}</small> <bdi>${name}</bdi></a></li>`)}</ul>`;

/** The text without surrounding blanks; from a URL of another explorer only the id. */
function termOf(typed: string): string {
  const term = typed.trim().slice(0, 300);
  const pasted = /^https?:\/\//.test(term) ? URL.parse(term) : null;
  if (!pasted) return term;
  const parts = pasted.pathname.split('/').filter(Boolean);
  return safelyDecoded(parts.at(-1) ?? '');
}

function safelyDecoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
