import { type ClarityValue, encodeClarityUint } from '../../base/codec/index.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import type { TokenStandard } from '../../index/token-metadata/standard.ts';
import type { NodeCallError } from '../../ingest/node/rpc.ts';
import { storable } from '../document/clean.ts';
import { REASON } from '../errors.ts';
import { fillPlaceholders } from '../fetch/uris.ts';
import type { Job, JobContext, JobError } from './job.ts';
import type { TokenFacts } from './stored.ts';

/* Reads facts about a contract and its tokens from the contract. A value of an unexpected type is reason 109. */

/** A string in any nesting of `ok` and `some`; null for `none` and for the empty string. */
function textOrNone(value: ClarityValue): Result<string | null, JobError> {
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
  fail({ reason: REASON.contractFailed, kind: 'permanent', message: `the contract returned ${type}, not ${wanted}` });

const FEW_ATTEMPTS = 3;

/** The error of a job after a failed call: permanent only if the contract rejects the call, as the node may recover. */
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
    default:
      return kind satisfies never;
  }
}

type Read = Result<TokenFacts, JobError>;
type Call = (functionName: string, args: readonly Uint8Array[]) => Promise<Result<ClarityValue, JobError>>;

/**
 * Calls the read-only functions of a token's contract: `get-token-uri` of all standards, then name, symbol, decimals and supply of
 * a fungible token, decimals and supply of a semi-fungible one.
 */
export async function readFacts(
  { contractId, token }: Job,
  standard: TokenStandard,
  tip: string | undefined,
  { node }: JobContext,
  signal: AbortSignal,
): Promise<Read> {
  const call: Call = async (functionName, args) => {
    const response = await node.callReadOnly({
      contractId,
      functionName,
      args,
      signal,
      ...(tip !== undefined && { tip }),
    });
    return response.ok ? response : fail(callError(functionName, response.error));
  };
  const args = standard === 'sip-010' ? [] : [encodeClarityUint(BigInt(token))];
  const uri = decoded(await call('get-token-uri', args), textOrNone);
  if (!uri.ok) return uri;
  const facts = {
    uri: uri.value === null ? null : fillPlaceholders(uri.value, { id: token }),
    name: null,
    symbol: null,
    decimals: null,
    totalSupply: null,
  };
  if (standard === 'sip-009') return ok(facts);
  return standard === 'sip-010' ? readFungible(facts, call) : readSemiFungible(facts, call, args);
}

async function readFungible(facts: TokenFacts, call: Call): Promise<Read> {
  const name = decoded(await call('get-name', []), textOrNone);
  if (!name.ok) return name;
  const symbol = decoded(await call('get-symbol', []), textOrNone);
  if (!symbol.ok) return symbol;
  const amounts = await readAmounts(call, []);
  return amounts.ok ? ok({ ...facts, name: name.value, symbol: symbol.value, ...amounts.value }) : amounts;
}

async function readSemiFungible(facts: TokenFacts, call: Call, args: readonly Uint8Array[]): Promise<Read> {
  const amounts = await readAmounts(call, args);
  return amounts.ok ? ok({ ...facts, ...amounts.value }) : amounts;
}

/** Reads decimals and supply. If the supply cannot be read, it is left out, and the other fields are stored. */
async function readAmounts(
  call: Call,
  args: readonly Uint8Array[],
): Promise<Result<Pick<TokenFacts, 'decimals' | 'totalSupply'>, JobError>> {
  const decimals = decoded(await call('get-decimals', args), uint);
  if (!decimals.ok) return decimals;
  const supply = decoded(await call('get-total-supply', args), uint);
  if (!supply.ok && supply.error.kind !== 'permanent') return supply;
  return ok({
    decimals: decimals.value <= MOST_DECIMALS ? Number(decimals.value) : null,
    totalSupply: supply.ok ? String(supply.value) : null,
  });
}

/** More digits than any amount has. */
const MOST_DECIMALS = 1_000n;

function decoded<T>(
  response: Result<ClarityValue, JobError>,
  decode: (value: ClarityValue) => Result<T, JobError>,
): Result<T, JobError> {
  return response.ok ? decode(response.value) : response;
}
