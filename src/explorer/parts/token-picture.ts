import { type Html, html } from '../html.ts';
import type { TokenMetadata } from '../records.ts';

/** The picture of a token, if this server has made one; pictures of others are never loaded. */
export function picture(metadata: TokenMetadata | undefined, size = 20): Html | undefined {
  const found = metadata?.metadata?.cached_thumbnail_image ?? metadata?.metadata?.cached_image;
  if (!found?.endsWith('.png')) return undefined;
  // Behind a path prefix the images are behind it, too.
  const source = found.startsWith('/') ? `..${found}` : found;
  return html`<img src="${source}" width="${size}" height="${size}" alt="" loading="lazy" decoding="async"> `;
}
