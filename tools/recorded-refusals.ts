import type { Recorded } from '../test/support/recording.ts';

/**
 * Recorded answers to requests that are refused now, because what they ask for was ignored or cannot be: a filter of transactions as
 * `type[]=`, which listed everything (docs/compatibility.md). They are compared with a 400.
 */
const REFUSED: readonly ((path: string) => boolean)[] = [
  path => /^\/extended\/v1\/tx\/?\?(.*&)?type(\[|%5B)/i.test(path),
];

/** The answers, with a 400 for each request that is refused. */
export function withRefusals<A extends Recorded>(answers: readonly A[]): { answers: A[]; changed: number } {
  let changed = 0;
  const corrected = answers.map(answer => {
    if (answer.status >= 400 || !REFUSED.some(isRefused => isRefused(answer.path))) return answer;
    changed++;
    return { ...answer, status: 400, body: { error: 'Bad Request' } };
  });
  return { answers: corrected, changed };
}
