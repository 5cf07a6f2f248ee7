/** The form in which a client requests a list: a page, or the whole list as a file (docs/past.md#lists-to-take-home). */
import type { FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import { ApiError, invalidParameter } from './errors.ts';
import { Type } from './type.ts';

/** A file of JSON lines, or a table. */
type DownloadForm = 'ndjson' | 'csv';

export const MEDIA_TYPES: Readonly<Record<DownloadForm, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

/** The parameter of every list that can be downloaded. @param presets names of tables with other columns */
export const formatParameter = (presets: readonly string[]) =>
  Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['json', 'ndjson', 'csv', ...presets],
      description:
        'The whole list as a file in place of a page: `ndjson` or `csv`, as the header `Accept` with `application/x-ndjson` or `text/csv` ' +
        'does. `limit` is then the number of rows between two places from which the download can be resumed.',
      examples: ['json'],
    }),
  );

/** Whether a route with these parameters can be downloaded. @param querystring its schema */
export const takesFormat = (querystring: unknown): boolean =>
  'format' in ((querystring as { readonly properties?: object } | undefined)?.properties ?? {});

declare module 'fastify' {
  interface FastifyRequest {
    /** The value of `format`, or of an equivalent header; undefined for a page. */
    download: string | undefined;
  }
}

/** The first hook of a list: notes the form of the response. @param presets as for `formatParameter` */
export function formHook(presets: readonly string[]): onRequestHookHandler {
  return (request, _reply, done) => {
    request.download = wantedForm(request, presets);
    done();
  };
}

/** The hook of routes that cannot be downloaded: refuses the request rather than send something else than the requested file. */
export function refusesDownload(reason: string): preValidationHookHandler {
  return (request, _reply, done) => {
    const form = wantedForm(request, []);
    if (form === undefined) return done();
    if (formatOf(request) !== undefined)
      throw invalidParameter(`querystring/format must be json, not "${form}": ${reason}`);
    throw new ApiError(406, `The response is application/json: ${reason}`, { code: 'NOT_ACCEPTABLE' });
  };
}

const formatOf = (request: FastifyRequest): unknown => (request.query as { readonly format?: unknown }).format;

function wantedForm(request: FastifyRequest, presets: readonly string[]): string | undefined {
  const format = formatOf(request);
  if (format === undefined) return acceptedForm(request.headers.accept);
  return [...Object.keys(MEDIA_TYPES), ...presets].find(name => name === format);
}

/** The form that an Accept header prefers to JSON. A header with the same weight for both gets a page; a header that allows JSON only by `*`, the file. */
export function acceptedForm(accept: string | undefined): DownloadForm | undefined {
  if (accept === undefined || !/ndjson|csv/i.test(accept)) return undefined; // nearly all requests
  const ranges = accept.split(',').map(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase());
    const quality = parameters.map(text => /^q=([01](?:\.\d{0,3})?)$/.exec(text)?.[1]).find(text => text !== undefined);
    return { type, quality: Number(quality ?? 1) };
  });
  const qualityOf = (type: string) => ranges.find(range => range.type === type)?.quality;
  const ofPage = qualityOf('application/json');
  const least = ofPage ?? qualityOf('application/*') ?? qualityOf('*/*') ?? 0;
  const wanted = (form: DownloadForm): number => qualityOf(MEDIA_TYPES[form]) ?? 0;
  const form: DownloadForm = wanted('csv') > wanted('ndjson') ? 'csv' : 'ndjson';
  const quality = wanted(form);
  return quality > least || (quality === least && quality > 0 && ofPage === undefined) ? form : undefined;
}
