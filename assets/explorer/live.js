// The page follows the chain. When the stream tells of something that the page shows, the page is asked for again, and those of its parts
// that changed are replaced: what a reader sees is always what the server would send.
import { parsed } from './parsed.js';
import { openStream } from './stream.js';

/** Milliseconds between two refreshes: after a block, after news of the mempool, and while the stream is away. */
const PAUSE = { block: 1000, mempool: 5000, lost: 30_000 };
const ANNOUNCE_EVERY = 10_000;
/** For so many blocks a block that a fork took back stays in the picture. */
const LOST_FOR = 10;

const partsOf = root => new Map([...root.querySelectorAll('main [data-part]')].map(part => [part.dataset.part, part]));

/** What the server sent of each part: scripts change what is shown. To be called before they do. */
export function rememberParts() {
  return new Map([...partsOf(document)].map(([name, part]) => [name, part.innerHTML]));
}

/** @param shown of rememberParts  @param afterwards called when something was replaced */
export function followChain(shown, afterwards) {
  const topics = document.body.dataset.live;
  if (!topics) return;
  const connection = document.getElementById('connection');
  const lost = new LostBlocks();
  let due;
  let dueAt = Number.POSITIVE_INFINITY;
  let refreshedAt = 0;
  let isDirty = false;

  const refresh = async () => {
    due = undefined;
    dueAt = Number.POSITIVE_INFINITY;
    isDirty = document.hidden;
    if (isDirty) return;
    refreshedAt = Date.now();
    try {
      const response = await fetch(location.href, { cache: 'no-cache' });
      if (response.status >= 500) return;
      const page = parsed(await response.text());
      if (replaceParts(shown, page, lost)) afterwards();
    } catch {
      // The server is away; the next event or the next turn brings it.
    }
  };
  const refreshAfter = pause => {
    const at = Math.max(Date.now(), refreshedAt + pause);
    if (at >= dueAt) return;
    clearTimeout(due);
    dueAt = at;
    due = setTimeout(refresh, at - Date.now());
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && isDirty) refresh();
  });

  const hear = ({ event, data }) => {
    connection.textContent = 'live';
    switch (event) {
      case 'block':
        lost.pass();
        announce(data.block.height);
        if (topics.includes('block')) refreshAfter(PAUSE.block);
        break;
      case 'burn-block':
        refreshAfter(PAUSE.block);
        break;
      case 'mempool':
      case 'mempool-drop':
        if (topics.includes('mempool')) refreshAfter(PAUSE.mempool);
        break;
      case 'rollback':
        lost.take(data.removed);
        sayFork(data);
        refreshAfter(PAUSE.block);
        break;
      case 'gap':
        refreshAfter(0);
        break;
      default:
        // Other entries change nothing that a page shows.
        break;
    }
  };
  openStream(hear, () => {
    connection.textContent = `live updates paused at ${new Date().toLocaleTimeString()}`;
    refreshAfter(PAUSE.lost);
  });
}

/** Replaces the parts that the server sends otherwise now; all of the page if it has other parts. Whether anything changed. */
function replaceParts(shown, page, lost) {
  const [old, now] = [partsOf(document), partsOf(page)];
  document.title = page.title;
  if ([...old.keys()].join() !== [...now.keys()].join()) {
    const main = document.getElementById('main');
    main.replaceChildren(...[...page.getElementById('main').childNodes].map(node => document.importNode(node, true)));
    for (const [name, part] of now) shown.set(name, part.innerHTML);
    return true;
  }
  let isChanged = false;
  for (const [name, part] of now) {
    if (part.innerHTML === shown.get(name)) continue;
    shown.set(name, part.innerHTML);
    replacePart(old.get(name), part);
    isChanged = true;
  }
  if (isChanged || lost.isNews) lost.draw();
  return isChanged;
}

function replacePart(old, part) {
  const columns = [...old.querySelectorAll('[data-block]')].map(({ dataset }) => dataset);
  const known = new Set(columns.map(({ block }) => block));
  // Older ones come into view when a fork makes room.
  const highest = Math.max(...columns.map(({ height }) => Number(height)));
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  old.replaceChildren(...[...part.childNodes].map(node => document.importNode(node, true)));
  if (known.size > 0)
    for (const column of old.querySelectorAll('[data-block]'))
      if (!known.has(column.dataset.block) && Number(column.dataset.height) >= highest) column.classList.add('new');
  if (focused !== null) [...old.querySelectorAll('a')].find(link => link.getAttribute('href') === focused)?.focus();
}

/** Blocks of the picture that a fork took back: they stay for a while, marked. */
class LostBlocks {
  #columns = [];
  #left = 0;
  isNews = false;

  take(removed) {
    for (const { index_hash } of removed) {
      const column = document.querySelector(`[data-block="${CSS.escape(index_hash)}"]:not(.lost)`);
      if (!column) continue;
      const kept = column.cloneNode(true);
      // At its height is another block by now.
      kept.querySelector('a').setAttribute('href', `block/${index_hash}`);
      this.#columns.push(kept);
    }
    this.#left = LOST_FOR;
    this.isNews = true;
  }

  pass() {
    if (--this.#left <= 0) this.#columns = [];
  }

  draw() {
    this.isNews = false;
    document.getElementById('lost-blocks')?.remove();
    const legend = document.querySelector('.picture .legend');
    if (!legend || this.#columns.length === 0) return;
    const row = document.createElement('div');
    row.id = 'lost-blocks';
    row.className = 'row';
    const words = document.createElement('p');
    words.textContent = 'Taken back by a fork: no longer part of the chain';
    const list = document.createElement('ul');
    list.className = 'columns';
    for (const column of this.#columns) {
      column.className = 'column lost';
      list.append(column);
    }
    row.append(words, list);
    legend.before(row);
  }
}

function sayFork({ removed, mempool_restored: again = [] }) {
  const blocks = removed.length === 1 ? '1 block was' : `${removed.length} blocks were`;
  const waiting =
    again.length === 0
      ? ''
      : ` ${again.length === 1 ? '1 transaction waits' : `${again.length} transactions wait`} again.`;
  const words = document.createElement('p');
  words.className = 'gone';
  words.textContent = `A fork: ${blocks} replaced.${waiting} `;
  const lowest = removed.at(-1);
  if (lowest) {
    const link = document.createElement('a');
    link.href = `fork/${lowest.index_hash}`;
    link.textContent = 'What happened';
    words.append(link);
  }
  words.append(' (Esc closes this)');
  document.getElementById('notice').replaceChildren(words);
}

let announcedAt = 0;

/** For screen readers, which would drown in every block. */
function announce(height) {
  if (Date.now() - announcedAt < ANNOUNCE_EVERY) return;
  announcedAt = Date.now();
  document.getElementById('announcement').textContent = `Block ${height} has arrived.`;
}
