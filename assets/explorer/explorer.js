// What every page gets from scripts. Without them each page says the same; see docs/explorer.md.
import { addKeys } from './keys.js';
import { followChain, rememberParts } from './live.js';
import { addSuggestions } from './suggest.js';
import { keepTimes } from './times.js';

const THEMES = { light: 'dark', dark: 'light' };

/** Switches between light and dark, and keeps the choice in this browser. */
function switchTheme() {
  const root = document.documentElement;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = THEMES[root.dataset.theme ?? (isDark ? 'dark' : 'light')];
  try {
    localStorage.setItem('theme', root.dataset.theme);
  } catch {
    // Without storage the choice holds for this page.
  }
}

/** Buttons that do nothing without scripts are hidden until now; parts that the stream replaces come with theirs hidden, too. */
function showButtons(root) {
  for (const button of root.querySelectorAll('button[hidden]')) button.hidden = false;
}

document.addEventListener('click', event => {
  const copy = event.target.closest?.('button[data-copy]');
  if (!copy) return;
  navigator.clipboard?.writeText(copy.dataset.copy).then(() => {
    copy.textContent = 'copied';
    setTimeout(() => {
      copy.textContent = 'copy';
    }, 1500);
  });
});

/** All mentions of one id light up together. */
document.addEventListener('mouseover', event => {
  const id = event.target.closest?.('[data-id]')?.dataset.id;
  for (const other of document.querySelectorAll('.same')) other.classList.remove('same');
  if (id === undefined) return;
  const mentions = [...document.querySelectorAll('a[data-id]')].filter(each => each.dataset.id === id);
  if (mentions.length > 1) for (const mention of mentions) mention.classList.add('same');
});

const sent = rememberParts();
showButtons(document);
document.getElementById('theme').addEventListener('click', switchTheme);
const showTimes = keepTimes();
addKeys(switchTheme);
addSuggestions();
followChain(sent, () => {
  showButtons(document);
  showTimes();
});
