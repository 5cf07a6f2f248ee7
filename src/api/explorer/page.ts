import type { ApiClient } from './client.ts';
import type { Html } from './html.ts';

/** The parameters of a request for a page. */
export interface PageRequest {
  /** The parts of the path that are its parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Of the query; the first of several values. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The name of the network of this server: mainnet, testnet. */
  readonly network: string;
}

/** A page before it gets its frame. */
export interface PageContent {
  /** For the tab of the browser, without the name of the site. */
  readonly title: string;
  readonly body: Html;
  /** The HTTP status; 200 unless given. */
  readonly status?: number;
  /** Seconds after which a browser loads the page again; only for temporary failures. */
  readonly retryAfter?: number;
  /** The topics of the live stream that change this page; without topics for pages that never change. */
  readonly live?: readonly ('block' | 'burn-block' | 'mempool')[];
  /** The text in the field of `/search`. */
  readonly searched?: string;
}

/** A redirect to a path below `/explorer/`. */
export interface Redirect {
  readonly to: string;
}

/**
 * A page: sends its requests to the API and builds its content from the responses.
 * @throws ApiError, which becomes a page with its status
 */
export type PageRenderer = (api: ApiClient, request: PageRequest) => Promise<PageContent | Redirect>;
