import type { Json, Recorded } from '../../test/support/recording.ts';
import { recordedRows } from './recorded-rows.ts';

/**
 * Recorded lists of getTransactionListV1 with `nonce=0`, which was no filter. They are compared with the transactions of nonce 0 that the
 * recording shows elsewhere, where it shows every transaction of the chain; else they are left out.
 */

const DEFAULT_LIMIT = 20;
const ZERO = /^\/extended\/v1\/tx\/?\?nonce=0$/;

/** The responses, with those to `nonce=0` corrected or left out. */
export function withZeroAsNumber<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const asked = responses.filter(({ path }) => ZERO.test(path));
  if (asked.length === 0) return { responses: [...responses], changed: 0 };
  const rows = recordedRows(responses);
  const isComplete = rows.length === lengthOfChain(responses);
  const found = rows.filter(({ nonce }) => nonce === 0);
  const results = found.slice(0, DEFAULT_LIMIT) as unknown as Json;
  const body = { limit: DEFAULT_LIMIT, offset: 0, total: found.length, results };
  return {
    responses: responses.flatMap(response =>
      ZERO.test(response.path) ? (isComplete ? [{ ...response, body }] : []) : [response],
    ),
    changed: asked.length,
  };
}

function lengthOfChain(responses: readonly Recorded[]): number | undefined {
  const whole = responses.find(({ path }) => /^\/extended\/v1\/tx\/?(\?limit=\d+(&offset=0)?)?$/.test(path));
  return whole && (whole.body as { readonly total: number }).total;
}
