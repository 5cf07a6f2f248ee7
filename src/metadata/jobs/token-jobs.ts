import { fail, ok, type Result } from '../../base/lib/result.ts';
import type { DatabaseTransaction } from '../../base/store/database.ts';
import type { TokenStandard } from '../../index/token-metadata/standard.ts';
import { localesToFetch, type MetadataDocument, mergeLocalized } from '../document/document.ts';
import { imageNames } from '../images/store.ts';
import { readFacts } from './contract-calls.ts';
import { enqueue, type JobRequest, lockJobs } from './enqueue.ts';
import { reserveImageBytes } from './image-limits.ts';
import { readTokenChain, type TokenChain } from './index-state.ts';
import { type Job, type JobContext, type JobError, type JobKind, keyOf, laneOf, PRIORITY, THE_JOB } from './job.ts';
import type { JobResult } from './queue.ts';
import { DEFAULT_LOCALE, isCounted, readDocument, storeImage, storeLocale, storeToken } from './stored.ts';

/**
 * Reads the facts about a token from its contract, fetches the document that the token's URI names, and stores both
 * together. Locales and images are jobs of their own: the token is complete without them. If any step fails, the stored
 * state stays.
 */
export async function runTokenJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const chain = await findToken(job, context);
  if (!chain) return ok({});
  const facts = await readFacts(job, chain.standard, chain.tip, context, signal);
  if (!facts.ok) return fail({ error: facts.error });
  const document = await fetchDocument(facts.value.uri, job.token, context, signal);
  if (!(await findToken(job, context))) return ok({}); // a fork has removed it meanwhile
  const now = context.now();
  if (!document.ok) {
    // The decimals and supply of a fungible token do not depend on its document.
    const store = (tx: DatabaseTransaction) => storeToken(tx, job, facts.value, undefined, now);
    return fail({ error: document.error, ...(chain.standard === 'sip-010' && { store }) });
  }
  return ok({
    ...(chain.ttl !== undefined && { runAgainAt: now + chain.ttl * 1000 }),
    store: async tx => {
      await storeToken(tx, job, facts.value, document.value, now);
      await enqueueParts(tx, job, document.value, context);
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

/** Null if the contract has no URI, or the document has no metadata. */
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

/** Creates jobs for locales and image, and forgets locales that the document no longer names. */
async function enqueueParts(
  tx: DatabaseTransaction,
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
  for (const kind of kinds) await enqueue(tx, partOf({ ...job, priority }, kind), { now });
}

function partsOf(document: MetadataDocument, { images }: JobContext): JobKind[] {
  const locales = localesToFetch(document).map((locale): JobKind => `locale:${locale}`);
  return images && document.image !== '' ? [...locales, `image:${DEFAULT_LOCALE}`] : locales;
}

/** A job for a part of a token; it runs after each read of the token. */
const partOf = ({ contractId, token, owner, priority }: Job, kind: JobKind): JobRequest => ({
  contractId,
  token,
  kind,
  priority: laneOf(kind) === 'images' ? PRIORITY.image : priority,
  cause: `read by ${owner}`,
});

/** The locale that a job of kind `locale:` or `image:` is about. */
const localeOf = (kind: JobKind): string => kind.slice(kind.indexOf(':') + 1);

/**
 * Fetches the document of a locale. If that fails, only this locale is missing; the rest of the token does not depend
 * on it.
 */
export async function runLocaleJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const locale = localeOf(job.kind);
  const base = await context.db.read(queries => readDocument(queries, job, DEFAULT_LOCALE));
  if (!base?.localization) return ok({});
  const localized = await context.fetcher.fetchDocument(base.localization.uri, { id: job.token, locale, signal });
  if (!localized.ok) return fail({ error: localized.error });
  const document = mergeLocalized(base, localized.value);
  return ok({
    store: async tx => {
      await storeLocale(tx, job, locale, document);
      if (context.images && document.image !== '' && document.image !== base.image)
        await enqueue(tx, partOf(job, `image:${locale}`), { now: context.now() });
    },
  });
}

/** Fetches the image of a document and stores it as PNG. A failure shows only in the job: the cached fields stay empty. */
export async function runImageJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { db, fetcher, images } = context;
  const locale = localeOf(job.kind);
  const document = await db.read(queries => readDocument(queries, job, locale));
  if (!images || !document?.image) return ok({});
  const request = { id: job.token, signal, ...(locale !== DEFAULT_LOCALE && { locale }) };
  const bytes = await fetcher.fetchImage(document.image, request);
  if (!bytes.ok) return fail({ error: bytes.error });
  const spent = (ms: number) => images.budget?.spend(job.contractId, ms);
  const processed = await images.processor.process(bytes.value, signal, spent);
  if (!processed.ok) return fail({ error: processed.error });
  const names = imageNames(processed.value);
  const { image, thumbnail } = processed.value;
  if (!(await images.store.has(names.image)) || !(await images.store.has(names.thumbnail))) {
    const reserved = await db.write(async tx => {
      await lockJobs(tx);
      return reserveImageBytes(tx, job, image.length + thumbnail.length, context.limits);
    });
    if (!reserved.ok) return fail({ error: reserved.error });
    await images.store.write(names.image, image);
    await images.store.write(names.thumbnail, thumbnail);
  }
  return ok({ store: tx => storeImage(tx, job, document.image, names) });
}
