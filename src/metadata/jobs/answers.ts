import type { ClarityValue } from '../../codec/index.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type { NodeCallError } from '../../node/rpc.ts';
import { storable } from '../document/clean.ts';
import { REASON } from '../errors.ts';
import type { JobError } from './job.ts';

/** What the answers of a contract say. A value of another type is reason 109. */

/** A string in any nesting of `ok` and `some`; null for `none` and for the empty string. */
export function textOrNone(value: ClarityValue): Result<string | null, JobError> {
  const inner = unwrap(value);
  if (inner.type === 'none') return ok(null);
  if (inner.type === 'string-ascii' || inner.type === 'string-utf8') return ok(storable(inner.value) || null);
  return unexpected(inner, 'a string');
}

/** An unsigned number in any nesting of `ok` and `some`. */
export function uint(value: ClarityValue): Result<bigint, JobError> {
  const inner = unwrap(value);
  return inner.type === 'uint' ? ok(inner.value) : unexpected(inner, 'a uint');
}

function unwrap(value: ClarityValue): ClarityValue {
  let inner = value;
  while (inner.type === 'ok' || inner.type === 'some') inner = inner.value;
  return inner;
}

const unexpected = ({ type }: ClarityValue, wanted: string): Result<never, JobError> =>
  fail({ reason: REASON.contractFailed, kind: 'permanent', message: `the contract answers ${type}, not ${wanted}` });

const FEW_ATTEMPTS = 3;

/** What a call that failed means for its job (token-metadata.md 2.3). */
export function callError(functionName: string, { kind, message }: NodeCallError): JobError {
  const about = { reason: REASON.contractFailed, message: `${functionName}: ${message}` };
  switch (kind) {
    case 'rejected':
      return { ...about, kind: 'permanent' };
    case 'too-costly':
      return { ...about, kind: 'transient', patience: FEW_ATTEMPTS };
    case 'unknown-contract':
      return { ...about, kind: 'not-yet' };
    case 'unavailable':
      return { ...about, kind: 'unavailable' };
  }
}
