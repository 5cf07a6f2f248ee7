/** Script, style and policy of the documentation page. The policy has the digests of both. */
import { createHash } from 'node:crypto';

/** Search, samples that follow the inputs, and the choice of light or dark. Runs in browsers. */
export const SCRIPT = `
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const urlOf = form => {
  const query = new URLSearchParams();
  let url = form.dataset.path;
  for (const input of all('input', form)) {
    if ('inPath' in input.dataset) url = url.replace('{' + input.name + '}', () => encodeURIComponent(input.value));
    else if (input.value) query.append(input.name, input.value);
  }
  return (query.size ? url + '?' + query : url).replaceAll("'", '%27');
};
const samples = {
  curl: url => "curl '" + url + "'",
  fetch: url => "const response = await fetch('" + url + "');\\nconst body = await response.json();",
};
const showSamples = form => {
  for (const pre of all('pre', form.nextElementSibling)) pre.textContent = samples[pre.dataset.sample](location.origin + urlOf(form));
};
document.addEventListener('submit', event => {
  event.preventDefault();
  open(urlOf(event.target), '_blank', 'noopener');
});
for (const pre of all('.samples pre')) pre.textContent = pre.textContent.replace('$API', location.origin);
all('form').forEach(showSamples);

const tools = document.querySelector('.tools'), [search, theme] = tools.children;
tools.hidden = false;
const entries = all('nav li').map(item => {
  const article = document.getElementById(item.firstChild.hash.slice(1));
  return { item, article, text: article.textContent.toLowerCase() };
});
const find = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const { item, article, text } of entries) item.hidden = article.hidden = !words.every(word => text.includes(word));
  for (const group of all('main section')) group.hidden = all('article', group).every(article => article.hidden);
  for (const list of all('nav ul')) list.hidden = list.previousElementSibling.hidden = all('li', list).every(item => item.hidden);
};
document.addEventListener('input', ({ target }) => (target === search ? find() : showSamples(target.form)));
document.addEventListener('keydown', event => {
  if (event.key === '/' && event.target.tagName !== 'INPUT') event.preventDefault(), search.focus();
  if (event.key === 'Escape' && event.target === search) (search.value = ''), find();
});

const root = document.documentElement;
root.dataset.theme = localStorage.getItem('theme') ?? '';
theme.addEventListener('click', () => {
  const isDark = (root.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
});
`;

export const STYLE = `
:root[data-theme=dark] { color-scheme: dark; }
:root[data-theme=light] { color-scheme: light; }
:root { color-scheme: light dark; --line: light-dark(#d9dce1, #383c44); --soft: light-dark(#f4f5f7, #1f2228); --link: light-dark(#1a55c4, #84b0ff); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); font: 15px/1.5 system-ui, sans-serif; color: light-dark(#1c1f24, #e4e6ea); background: light-dark(#fff, #16181c); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 13px; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: 11px; text-transform: uppercase; letter-spacing: .06em; opacity: .7; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav .home { font-weight: 600; font-size: 15px; }
nav .tools { display: flex; gap: .4rem; margin: .8rem 0 0; }
nav .tools input { width: 100%; }
.link { margin-left: .5rem; font-weight: 400; opacity: .7; }
.samples pre { margin: .4rem 0; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 66rem; }
section > h2 { margin: 3rem 0 .5rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
article { margin: 2rem 0; }
h3 { margin: 0 0 .3rem; font-size: 1.05rem; }
p { margin: .4rem 0; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
td code, p code { overflow-wrap: anywhere; }
.path { padding: .4rem .7rem; background: var(--soft); border-radius: 6px; }
.path b { margin-right: .5rem; color: light-dark(#1a7f45, #6fd198); }
.tag { padding: 0 .4rem; border: 1px solid currentColor; border-radius: 4px; font-size: 11px; font-weight: 400; opacity: .75; }
.scroll { overflow-x: auto; }
table { width: 100%; margin: .7rem 0; border-collapse: collapse; }
th { font-size: 12px; opacity: .7; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th:first-child { width: 15rem; }
th:nth-child(2) { width: 17rem; }
small { margin-left: .5rem; opacity: .65; font-weight: 400; }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .7rem 0; }
label { display: grid; font-size: 12px; }
input, button { padding: .25rem .5rem; font: inherit; font-size: 13px; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 5px; }
input { width: 12rem; }
button { cursor: pointer; }
pre { max-height: 24rem; overflow: auto; padding: .7rem; background: var(--soft); border-radius: 6px; }
summary { cursor: pointer; font-size: 13px; }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
  th:nth-child(n) { width: auto; }
}
`;

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page loads no resource and runs no other script, and no other site may frame it. */
export const DOC_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${digest(STYLE)}`,
  `script-src ${digest(SCRIPT)}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
