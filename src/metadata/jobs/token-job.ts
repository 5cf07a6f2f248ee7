import { type ClarityValue, encodeClarityUint } from '../../codec/index.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import type { TokenStandard } from '../../resources/token-metadata/standard.ts';
import type { Transaction } from '../../store/database.ts';
import type { MetadataDocument } from '../document/document.ts';
import { localesToFetch } from '../document/localize.ts';
import { fillPlaceholders } from '../fetch/placeholders.ts';
import { callError, textOrNone, uint } from './answers.ts';
import { arm, type Wish } from './arm.ts';
import { readTokenChain, type TokenChain } from './chain.ts';
import type { JobContext } from './context.ts';
import { type Job, type JobError, type JobKind, keyOf, PRIORITY, THE_JOB } from './job.ts';
import type { JobResult } from './queue.ts';
import { DEFAULT_LOCALE, isCounted, storeToken, type TokenFacts } from './stored.ts';

/**
 * Reads what a contract tells of a token, fetches the document that it points at, and stores both together. Locales and images
 * are jobs of their own: without them the token is complete. What was stored before stays when anything fails.
 */
export async function runTokenJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const chain = await findToken(job, context);
  if (!chain) return ok({});
  const facts = await readFacts(job, chain.standard, chain.tip, context, signal);
  if (!facts.ok) return fail({ error: facts.error });
  const document = await fetchDocument(facts.value.uri, job.token, context, signal);
  if (!(await findToken(job, context))) return ok({}); // a fork has taken it back meanwhile
  const now = context.now();
  if (!document.ok) {
    // What a fungible token is counted in does not depend on its document.
    const store = (tx: Transaction) => storeToken(tx, job, facts.value, undefined, now);
    return fail({ error: document.error, ...(chain.standard === 'sip-010' && { store }) });
  }
  return ok({
    ...(chain.ttl !== undefined && { runAgainAt: now + chain.ttl * 1000 }),
    store: async tx => {
      await storeToken(tx, job, facts.value, document.value, now);
      await armParts(tx, job, document.value, context);
    },
  });
}

/** Undefined when the canonical chain has no such token. */
async function findToken(job: Job, context: JobContext): Promise<FoundToken | undefined> {
  const { standard, shown, ...chain } = await readTokenChain(context.index, job.contractId, job.token);
  if (standard === undefined) return undefined;
  const exists = shown || (await context.db.read(queries => isCounted(queries, job)));
  return exists ? { standard, ...chain } : undefined;
}

type FoundToken = Pick<TokenChain, 'tip' | 'ttl'> & { readonly standard: TokenStandard };

type Read = Result<TokenFacts, JobError>;
type Call = (functionName: string, args: readonly Uint8Array[]) => Promise<Result<ClarityValue, JobError>>;

/** The functions of each standard, in order (token-metadata.md 2.3). */
async function readFacts(
  { contractId, token }: Job,
  standard: TokenStandard,
  tip: string | undefined,
  { node }: JobContext,
  signal: AbortSignal,
): Promise<Read> {
  const call: Call = async (functionName, args) => {
    const answer = await node.callReadOnly({
      contractId,
      functionName,
      args,
      signal,
      ...(tip !== undefined && { tip }),
    });
    return answer.ok ? answer : fail(callError(functionName, answer.error));
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

/** A contract that cannot tell its supply has none to show; the rest is worth having. */
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
  answer: Result<ClarityValue, JobError>,
  decode: (value: ClarityValue) => Result<T, JobError>,
): Result<T, JobError> {
  return answer.ok ? decode(answer.value) : answer;
}

/** Null when the contract names none, or the document has no metadata in it. */
async function fetchDocument(
  uri: string | null,
  id: string,
  { fetcher }: JobContext,
  signal: AbortSignal,
): Promise<Result<MetadataDocument | null, JobError>> {
  if (uri === null) return ok(null);
  const document = await fetcher.fetchDocument(uri, { id, signal });
  return document.ok && document.value.name === '' ? ok(null) : document;
}

/** Has locales and image fetched, and forgets the locales that are no longer named. */
async function armParts(
  tx: Transaction,
  job: Job,
  document: MetadataDocument | null,
  context: JobContext,
): Promise<void> {
  const kinds = document === null ? [] : partsOf(document, context);
  const existing = await tx.all<{ kind: JobKind }>(
    `SELECT kind FROM metadata_jobs WHERE contract_id = ? AND token = ? AND kind <> 'token'`,
    [job.contractId, job.token],
  );
  const locales = new Set(document === null ? [] : [DEFAULT_LOCALE, ...localesToFetch(document)]);
  for (const { kind } of existing) {
    if (kinds.includes(kind) || locales.has(localeOf(kind))) continue;
    await tx.run(`DELETE FROM metadata_jobs WHERE ${THE_JOB}`, keyOf({ ...job, kind }));
  }
  const now = context.now();
  const priority = Math.max(job.priority, PRIORITY.refresh);
  for (const kind of kinds) await arm(tx, partOf(job, kind, priority), { now });
}

function partsOf(document: MetadataDocument, { images }: JobContext): JobKind[] {
  const locales = localesToFetch(document).map((locale): JobKind => `locale:${locale}`);
  return images && document.image !== '' ? [...locales, `image:${DEFAULT_LOCALE}`] : locales;
}

/** A job for a part of a token; it runs whenever the token was read. */
export const partOf = ({ contractId, token, owner }: Job, kind: JobKind, priority: number): Wish => ({
  contractId,
  token,
  kind,
  priority,
  cause: `read by ${owner}`,
});

/** The locale that a job of kind `locale:` or `image:` is about. */
export const localeOf = (kind: JobKind): string => kind.slice(kind.indexOf(':') + 1);
