/** The last second that has four digits of a year. */
export const LAST_TIME = 253402300799;

/** Unix seconds as the API prints them: `2023-11-14T22:33:34.000Z`; empty for what is no time: below 0, or beyond the year 9999. */
export function isoTime(seconds: number): string {
  return seconds >= 0 && seconds <= LAST_TIME ? new Date(seconds * 1000).toISOString() : '';
}
