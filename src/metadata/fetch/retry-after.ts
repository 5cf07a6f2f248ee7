import type { MetadataLimits } from '../limits.ts';

/**
 * How long a host wants to be left alone, in milliseconds: a positive number of seconds or a date ahead, at most
 * `limits.retryAfterMs`. Undefined when the header is missing, in the past or no such thing.
 */
export function retryAfter(header: string | undefined, now: number, limits: MetadataLimits): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now;
  return ms > 0 ? Math.min(Math.ceil(ms / 1000) * 1000, limits.retryAfterMs) : undefined;
}

/** Dates of HTTP begin with the day of the week; `Date.parse` alone would take much else for a date. */
const dateOf = (text: string): number => (/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN);
