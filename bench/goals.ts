/** The most CPU time of a page, in multiples of a static response of its size: for one record, and for a list. */
const GOAL_OF_ONE = 2;
const GOAL_OF_LIST = 4;

/** @param records undefined for a page that is no list */
export const goalOf = (records: number | undefined): number => (records === undefined ? GOAL_OF_ONE : GOAL_OF_LIST);

/** The number of records on a page of a list; undefined if the response is not a list. */
export async function recordsOf(port: number, paths: readonly string[]): Promise<number | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}${paths[paths.length >> 1]}`);
  const text = await response.text();
  const body: unknown = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
  const list = Array.isArray(body) ? body : Object(body).results;
  return Array.isArray(list) ? list.length : undefined;
}

/** `below 2` or `ABOVE 2` */
export const verdict = (times: number, goal: number): string => `${times <= goal ? 'below' : 'ABOVE'} ${goal}`;

/** Rounds a size, so that one static response can represent all sizes within 9% of it. */
export const staticSize = (bytes: number): number =>
  Math.round(2 ** (Math.round(Math.log2(Math.max(bytes, 2)) * 4) / 4));
