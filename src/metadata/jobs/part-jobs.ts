import { fail, ok } from '../../lib/result.ts';
import { mergeLocalized } from '../document/localize.ts';
import { imageNames } from '../images/store.ts';
import { arm } from './arm.ts';
import type { JobContext } from './context.ts';
import type { Job } from './job.ts';
import type { JobResult } from './queue.ts';
import { DEFAULT_LOCALE, readDocument, storeImage, storeLocale } from './stored.ts';
import { localeOf, partOf } from './token-job.ts';

/** Fetches the document of a locale. Without it, the locale is absent; nothing else of the token depends on it (token-metadata.md 2.7). */
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
        await arm(tx, partOf(job, `image:${locale}`, job.priority), { now: context.now() });
    },
  });
}

/** Fetches the image of a document and keeps it as PNG. Failures show nowhere but here: the cached fields stay empty. */
export async function runImageJob(job: Job, context: JobContext, signal: AbortSignal): Promise<JobResult> {
  const { db, fetcher, images } = context;
  const locale = localeOf(job.kind);
  const document = await db.read(queries => readDocument(queries, job, locale));
  if (!images || !document?.image) return ok({});
  const request = { id: job.token, signal, ...(locale !== DEFAULT_LOCALE && { locale }) };
  const bytes = await fetcher.fetchImage(document.image, request);
  if (!bytes.ok) return fail({ error: bytes.error });
  const processed = await images.processor.process(bytes.value, signal);
  if (!processed.ok) return fail({ error: processed.error });
  const names = imageNames(processed.value);
  await images.store.write(names.image, processed.value.image);
  await images.store.write(names.thumbnail, processed.value.thumbnail);
  return ok({ store: tx => storeImage(tx, job, document.image, names) });
}
