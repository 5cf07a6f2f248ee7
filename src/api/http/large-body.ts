import type { RowBudget } from './long-reads.ts';

/** Characters from which on a body is made bytes in pieces. */
const LARGE = 1_000_000;

/** Characters up to which a text is made bytes in no time. */
const SHORT = 100;

/**
 * A body that consists of these texts. One of many megabytes, which takes long to make bytes of, is made in pieces: requests of others run
 * between them.
 */
export async function bodyOf(texts: readonly string[], budget: RowBudget): Promise<string | Buffer> {
  if (texts.reduce((sum, { length }) => sum + length, 0) < LARGE) return texts.join('');
  let bytes = 0;
  for (const text of texts) {
    if (text.length > SHORT) await budget.take(1);
    bytes += Buffer.byteLength(text);
  }
  // Pieces that are joined in the end would be in memory twice.
  const body = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const text of texts) {
    if (text.length > SHORT) await budget.take(1);
    at += body.write(text, at);
  }
  return body;
}
