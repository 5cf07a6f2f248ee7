// Keys: / search, j k rows, [ ] pages, g h home, g m mempool, c copies the id of the page, t theme, ? says all this.

const HELP =
  'Keys: / search · j k next and previous row · [ ] pages or neighbours · g h home · g m mempool · c copy the id · t light or dark';

const isTyping = target => target.closest?.('input, textarea, select') !== null;

function follow(selector) {
  document.querySelector(selector)?.click();
}

function moveRow(step) {
  const links = [...document.querySelectorAll('main table.list tbody tr')]
    .map(row => row.querySelector('td.main a') ?? row.querySelector('a'))
    .filter(Boolean);
  const row = document.activeElement?.closest?.('tr');
  const current = links.findIndex(link => link.closest('tr') === row);
  links[Math.min(Math.max(current + step, 0), links.length - 1)]?.focus();
}

function say(text) {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  document.getElementById('notice').replaceChildren(paragraph);
}

/** Moves between the blocks of the picture. */
function moveColumn(event, step) {
  const column = event.target.closest?.('.picture .column a');
  if (!column) return;
  const columns = [...document.querySelectorAll('.picture .column a')];
  columns[columns.indexOf(column) + step]?.focus();
  event.preventDefault();
}

export function addKeys(switchTheme) {
  let afterG = false;
  const actions = {
    '/': () => document.querySelector('header input').focus(),
    '?': () => say(HELP),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    '[': () => follow('a[rel=prev]'),
    ']': () => follow('a[rel=next]'),
    c: () => follow('main .below .copy'),
    t: switchTheme,
    Escape: () => document.getElementById('notice').replaceChildren(),
  };
  const afterGActions = { h: () => follow('header .home'), m: () => follow('header nav a[href=mempool]') };
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === 'ArrowRight') return moveColumn(event, 1);
    if (event.key === 'ArrowLeft') return moveColumn(event, -1);
    const action = (afterG ? afterGActions : actions)[event.key];
    afterG = !afterG && event.key === 'g';
    if (!action) return;
    event.preventDefault();
    action();
  });
}
