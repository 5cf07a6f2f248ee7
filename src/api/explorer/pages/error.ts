import { http } from '../../../base/lib/node-http.ts';
import type { ApiError } from '../../http/errors.ts';
import { html } from '../html.ts';
import type { PageContent } from '../page.ts';
import { heading } from '../parts/lists.ts';

/** An error in the words of the API, and the next step to try. */
export function errorPage({ statusCode, message, hint, retryAfter }: ApiError): PageContent {
  const title = statusCode === 404 ? 'Not found' : (http.STATUS_CODES[statusCode] ?? 'Error');
  const body = html`${heading(String(statusCode), title)}
<p class="lead">${message}.</p>
${hint && html`<p>${hint}</p>`}
${retryAfter && html`<p>This page tries again by itself.</p>`}
${statusCode === 404 && html`<p>It may be on another network, be orphaned, or not have arrived yet. The <a href="status">status</a> says how far this index is; the search above takes heights, hashes, addresses, contracts and names.</p>`}
${statusCode === 400 && html`<p>Look at what was typed: the search above takes heights, hashes with 64 digits, addresses, contracts and names.</p>`}`;
  // A missing entity may appear later, such as a transaction that was just sent.
  return {
    title,
    body,
    status: statusCode,
    ...(retryAfter && { retryAfter }),
    ...(statusCode === 404 && { live: ['block', 'mempool'] as const }),
  };
}
