import type { Database } from '../../src/base/store/database.ts';
import type { Check } from '../../src/operate/verify/check.ts';
import { CHECKS } from '../../src/operate/verify/checks.ts';
import { verifyIndex } from '../../src/operate/verify/verify.ts';

/** What `verify` finds wrong in a database that has both journal and index, with the name of the check. */
export async function findingsIn(db: Database, checks: readonly Check[] = CHECKS): Promise<readonly string[]> {
  const found: string[] = [];
  await verifyIndex({
    indexDb: db,
    journalDb: db,
    keep: 10,
    checks,
    onOutcome: ({ check, findings }) => found.push(...findings.map(({ what }) => `${check.name}: ${what}`)),
  });
  return found;
}
