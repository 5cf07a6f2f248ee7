import type { RequestOfPage } from './client.ts';
import { type Html, html } from './html.ts';
import type { PageContent } from './page.ts';
import { SECTIONS } from './words/places.ts';

interface Frame {
  /** The path from the page to `/explorer/`, relative: `../` of `/explorer/block/7`. */
  readonly base: string;
  /** The path and query of the page, relative to `base`. */
  readonly here: string;
  readonly version: string;
  readonly network: string;
  /** The API requests behind this page. */
  readonly asked: readonly RequestOfPage[];
  /** Whether blocks arrived between these requests. */
  readonly isMixed: boolean;
  /** Part of the URLs of style and scripts, which browsers may then keep forever. */
  readonly assetVersion: string;
}

/** The imports of `explorer.js`, so that a browser requests all of them at once. */
const MODULES = ['keys.js', 'live.js', 'parsed.js', 'stream.js', 'suggest.js', 'times.js'] as const;

/** The whole document. Its links are relative to `<base>`, so it works behind any path prefix. */
export const document = (page: PageContent, frame: Frame): Html => {
  const asset = (name: string): string => `assets/${frame.assetVersion}/${name}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="${frame.base}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Stacks explorer</title>
<meta name="description" content="${page.title}: the Stacks blockchain (${frame.network}) as the index of this server has it, live.">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('explorer.css')}">
${MODULES.map(
  name => html`<link rel="modulepreload" href="${asset(name)}">
`,
)}<script src="${asset('theme.js')}"></script>
<script type="module" src="${asset('explorer.js')}"></script>
</head>
<body data-live="${page.live?.join(',')}">
<a class="skip" href="${frame.here}#main">Skip to the content</a>
<header>
<a class="home" href="../explorer" rel="home"><span aria-hidden="true">▤</span> Stacks <small>${frame.network}</small></a>
<form action="search" role="search">
<input type="search" name="q" aria-label="Search" value="${page.searched}" maxlength="300" autocomplete="off" spellcheck="false" placeholder="Address, hash, block, name">
<button>Search</button>
<div id="suggestions" role="status"></div>
</form>
<button type="button" class="menu" popovertarget="sections" aria-label="Menu">☰</button>
<nav id="sections" aria-label="Sections" popover>${SECTIONS.map(({ path, title }) => html`<a${frame.here === path && html` aria-current="page"`} href="${path}">${title}</a>`)}
<button type="button" id="theme" aria-label="Light or dark" title="Light or dark (t)" hidden>◐</button></nav>
</header>
<div id="notice" role="status">${frame.isMixed && html`<p>Blocks or transactions arrived while this page was made: its parts may be of different moments.</p>`}</div>
<p id="announcement" class="unseen" role="status"></p>
<main id="main" tabindex="-1">
${page.body}
</main>
<footer>
<details class="requests"><summary>As JSON: ${frame.asked.length} ${frame.asked.length === 1 ? 'request' : 'requests'} of the API made this page</summary>
<ul>${frame.asked.map(requestLine)}</ul></details>
<p><a href="../doc">API</a> · <a href="help">Help</a> · <a href="status">Status of the index</a> · stacks-index ${frame.version} · <button type="button" id="zone" hidden>Times in UTC</button> <span id="connection">not live</span></p>
</footer>
</body>
</html>
`;
};

/** A link only if the response is a record, so that no link of a page opens an error. */
const requestLine = ({ path, isAnswered }: RequestOfPage): Html =>
  isAnswered
    ? html`<li><a href="..${path}"><code>GET ${path}</code></a></li>`
    : html`<li><code>GET ${path}</code> (no such record)</li>`;
