// Times that go on: "4 s ago"; after a day the moment itself, in the reader's zone or in UTC. UTC stays in the title.

const DAY = 86_400;
const KEY = 'zone';

let isUtc = storedZone() === 'utc';

/** `2026-11-19 23:07:05 GMT+1`: of one width, with seconds, as blocks may be seconds apart. */
function momentOf(at) {
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(isUtc && { timeZone: 'UTC' }),
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

function ago(seconds) {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3600)} h ago`;
}

function inFuture(seconds) {
  if (seconds < 3600) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.round(seconds / 3600)} h`;
}

function textOf(seconds) {
  if (Math.abs(seconds) >= DAY) return undefined;
  return seconds > -60 ? ago(seconds) : inFuture(-seconds);
}

function show() {
  const now = Date.now();
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = Date.parse(time.dateTime);
    const seconds = (now - at) / 1000;
    // Clocks differ: what is a little ahead is now.
    const text = textOf(seconds) ?? momentOf(at);
    if (time.textContent !== text) time.textContent = text;
  }
}

function storedZone() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The button shows the zone that it switches to. */
function addSwitch() {
  const button = document.getElementById(KEY);
  const label = () => {
    button.textContent = isUtc ? 'Times in local zone' : 'Times in UTC';
  };
  label();
  button.addEventListener('click', () => {
    isUtc = !isUtc;
    try {
      localStorage.setItem(KEY, isUtc ? 'utc' : 'local');
    } catch {
      // Without storage the choice holds for this page.
    }
    label();
    show();
  });
}

/** Shows all times, and again every second. Gives the function that shows those that have come since. */
export function keepTimes() {
  addSwitch();
  show();
  setInterval(show, 1000);
  return show;
}
