// Times that go on: "4 s ago", and the reader's own zone after a day. UTC stays in the title.

const DAY = 86_400;
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

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
    const text = textOf(seconds) ?? zoned.format(at);
    if (time.textContent !== text) time.textContent = text;
  }
}

/** Shows all times, and again every second. Gives the function that shows those that have come since. */
export function keepTimes() {
  show();
  setInterval(show, 1000);
  return show;
}
