/**
 * The pause that a server demands by the header `Retry-After` (RFC 9110, 10.2.3), in milliseconds: a positive number of whole seconds, or a date ahead.
 * Undefined when the header is missing, in the past or invalid.
 * @param now milliseconds since 1970
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return ms > 0 ? Math.ceil(ms / 1000) * 1000 : undefined;
}

/** Dates of HTTP begin with the day of the week; `Date.parse` alone accepts much else. */
const dateOf = (text: string): number => (/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN);
