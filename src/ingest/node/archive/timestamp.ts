/** `2021-09-16 23:46:52.589279+00` of PostgreSQL, or ISO 8601. Without a zone it is UTC. */
const pattern = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Microseconds since 1970, or undefined when the text is no valid time. Digits beyond the sixth are cut off. */
export function parseTimestamp(text: string): number | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = '', zone = 'Z'] = match;
  const seconds = `${date}T${time}.000Z`;
  const milliseconds = Date.parse(seconds);
  // The parser takes 30 February for 2 March.
  if (Number.isNaN(milliseconds) || new Date(milliseconds).toISOString() !== seconds) return undefined;
  return (milliseconds - zoneOffset(zone)) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/** Milliseconds that a zone such as `+05:30` is ahead of UTC. */
function zoneOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Microseconds since 1970 as `YYYY-MM-DD HH:MM:SS.ffffff+00`. Throws a RangeError outside the years 0 to 9999. */
export function formatTimestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000);
  const iso = new Date(milliseconds).toISOString();
  if (!Number.isSafeInteger(microseconds) || iso.length !== 24) {
    throw new RangeError(`not a time in microseconds: ${microseconds}`);
  }
  const rest = String(microseconds - milliseconds * 1000).padStart(3, '0');
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${rest}+00`;
}
