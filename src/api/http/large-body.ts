import type { RowBudget } from './long-reads.ts';

/** Characters from which on a body is made bytes in pieces. */
const LARGE = 1_000_000;

/**
 * A body that consists of these texts. One of many megabytes, which takes long to make bytes of, is made in pieces: requests of others run
 * between them.
 */
export async function bodyOf(texts: readonly string[], budget: RowBudget): Promise<string | Buffer> {
  if (texts.reduce((sum, { length }) => sum + length, 0) < LARGE) return texts.join('');
  const pieces: Buffer[] = [];
  for (const text of texts) {
    await budget.take(1);
    pieces.push(Buffer.from(text));
  }
  await budget.take(1);
  return Buffer.concat(pieces);
}
