import type { ApiClient } from './client.ts';
import type { PageContent } from './layout.ts';

/** The parameters of a request for a page. */
export interface PageRequest {
  /** The parts of the path that are its parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the query; the first of several values. */
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** Leads elsewhere: a path below `/explorer/`. */
export interface Redirect {
  readonly to: string;
}

/** A file to be kept. */
export interface PageFile {
  readonly file: string;
  readonly type: string;
  readonly text: string;
}

/**
 * A page: sends its requests to the API and builds its content from the responses.
 * @throws ApiError, which becomes a page with its status
 */
export type PageRenderer = (api: ApiClient, request: PageRequest) => Promise<PageContent | Redirect | PageFile>;
