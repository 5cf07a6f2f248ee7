import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reference material that is not part of the repository: `../shared` beside the checkout, or the path in STACKS_SHARED.
 */
export const REFERENCE = process.env.STACKS_SHARED ?? join(import.meta.dirname, '../../../shared');

const MISSING = 'without the reference material: ';

/** The path of something in the reference material, whether it is there or not. */
export const referencePath = (path: string): string => join(REFERENCE, path);

/** For the option `skip` of a test: why it cannot run without this part of the reference material; false where that is there. */
export const withoutReference = (path: string): string | false =>
  !existsSync(referencePath(path)) && `${MISSING}${path}`;

/** Whether a test was skipped for this reason. */
export const isMissingReference = (reason: string): boolean => reason.startsWith(MISSING);
