import { AppError } from '../lib/app-error.ts';

/** A file at a URL cannot be read to its end. Names the URL without a password or a query, which may contain a key. */
export class HttpFileError extends AppError {
  override readonly name = 'HttpFileError';
  override readonly kind = 'operator';
  declare readonly code: 'url_refused' | 'url_unreachable' | 'url_changed' | 'url_without_ranges';

  constructor(code: HttpFileError['code'], url: URL, problem: string, cause?: unknown) {
    super(`${shownUrl(url)} ${problem}`, { code, hint: HINTS[code], cause });
  }
}

const HINTS: Readonly<Record<HttpFileError['code'], string>> = {
  url_refused:
    'Check the URL. Redirects must go to https:; addresses that are not public are requested only with --allow-private.',
  url_unreachable: 'Run the same command again later: what is stored is skipped.',
  url_changed: 'Run the same command again: it reads the new file from its start and skips what is stored.',
  url_without_ranges: 'Fetch the file, and name it in place of the URL.',
};

/** Whether reading ended because the server sends whole files only. */
export const isWithoutRanges = (error: unknown): boolean =>
  error instanceof HttpFileError && error.code === 'url_without_ranges';

/** A URL as messages show it: without user, password, query and fragment. */
export const shownUrl = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`;
