/** Derives from the declaration of a route whether it has a downloadable list, and the contents of that list. */
import type { FastifySchema, onRequestHookHandler, preValidationHookHandler, RouteOptions } from 'fastify';
import { formatParameter, formHook } from '../file-forms.ts';
import { hasPast } from '../shown-block.ts';
import { type DownloadableList, type DownloadParts, openDownload } from './download.ts';
import { type RowSchema, type RowTable, tableOf } from './table.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Tables of the list with the columns of other programs, by the name of their `format`. */
    presets?: Readonly<Record<string, RowTable>>;
  }
}

/** The parts of a schema from which a list is derived. */
interface ListSchema extends RowSchema {
  readonly properties?: Readonly<Record<string, ListSchema>>;
  readonly items?: ListSchema;
  readonly maximum?: number;
}

/** The list of a route, or why it cannot be downloaded. Undefined for a route that is undocumented, or whose responses are not JSON. */
export function downloadableList({
  url,
  method,
  schema,
  config,
  handler,
}: RouteOptions): DownloadableList | string | undefined {
  if (method !== 'GET' || schema?.operationId === undefined || config?.mediaType !== undefined) return undefined;
  const querystring = schema.querystring as ListSchema | undefined;
  const page = (schema.response as { readonly 200?: ListSchema } | undefined)?.[200];
  const row = page?.properties?.results?.items;
  const { limit, cursor, offset } = querystring?.properties ?? {};
  if (!row || !limit || !(cursor ?? offset)) return 'this route has no list of pages';
  if (!/^\/extended\/v[23]\//.test(url)) return 'only the lists of versions 2 and 3 can be downloaded';
  if (!hasPast(querystring)) return 'this list cannot be read as of a block, so its rows would move while it is read';
  return {
    read: handler,
    maxLimit: limit.maximum ?? 1,
    table: () => tableOf(row),
    presets: config?.presets ?? {},
  };
}

/** The schema of a route with the parameter for downloads of its list. */
export function withFormat(schema: FastifySchema, presets: readonly string[]): FastifySchema {
  const { properties, ...querystring } = schema.querystring as ListSchema;
  return {
    ...schema,
    querystring: { ...querystring, properties: { ...properties, format: formatParameter(presets) } },
  };
}

/** Makes a route send its whole list to requests for a download. Call it after the other hooks of the route are added. */
export function addDownload(route: RouteOptions, list: DownloadableList, parts: DownloadParts): void {
  const pageHandler = route.handler;
  route.handler = function (request, reply) {
    if (request.download === undefined) return Reflect.apply(pageHandler, this, [request, reply]);
    return openDownload(this, request, reply, list, parts);
  };
  const form: onRequestHookHandler[] = [formHook(Object.keys(list.presets))];
  route.onRequest = form.concat(route.onRequest ?? []);
  const limit: preValidationHookHandler[] = [longestPages(list.maxLimit)];
  route.preValidation = limit.concat(route.preValidation ?? []);
}

/** Sets the limit of a download to the longest page, unless the request has a limit. */
const longestPages =
  (maxLimit: number): preValidationHookHandler =>
  (request, _reply, done) => {
    const query = request.query as Record<string, unknown>;
    if (request.download !== undefined) query.limit ??= String(maxLimit);
    done();
  };
