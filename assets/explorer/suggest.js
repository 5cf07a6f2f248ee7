// Suggestions while typing: the results of the search page, asked a moment after the last key.
import { parsed } from './parsed.js';

const PAUSE = 120;

export function addSuggestions() {
  const input = document.querySelector('header input');
  const box = document.getElementById('suggestions');
  let timer;
  let asking = new AbortController();
  const close = () => {
    clearTimeout(timer);
    asking.abort();
    box.replaceChildren();
  };
  const ask = async () => {
    const term = input.value.trim();
    asking.abort();
    if (term.length < 1) return box.replaceChildren();
    asking = new AbortController();
    try {
      const url = `search?suggest=1&q=${encodeURIComponent(term)}`;
      const response = await fetch(url, { signal: asking.signal });
      const hits = parsed(await response.text()).querySelector('[data-part=results] ul.hits');
      box.replaceChildren(...(hits ? [document.importNode(hits, true)] : []));
    } catch {
      // An answer that nobody waits for any more.
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  input.form.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      close();
      input.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const stops = [input, ...box.querySelectorAll('a')];
    stops[stops.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  });
  document.addEventListener('click', event => {
    if (!input.form.contains(event.target)) close();
  });
}
