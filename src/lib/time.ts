/** Unix seconds as the API prints them: `2023-11-14T22:33:34.000Z`; empty when the time is not known (not above 0). */
export function isoTime(seconds: number): string {
  return seconds > 0 ? new Date(seconds * 1000).toISOString() : '';
}
