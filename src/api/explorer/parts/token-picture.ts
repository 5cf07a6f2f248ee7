import type * as Api from '../../routes/records.ts';
import { assetParts } from '../format/links.ts';
import { type Html, html } from '../html.ts';

/**
 * The image of a token, if this server has made one. Images of other servers are never loaded: a letter on a colour
 * replaces them.
 */
export function picture(
  images: Pick<Api.TokenOfSearch, 'image_uri' | 'image_thumbnail_uri'> | undefined,
  asset: string,
  size: 20 | 40 | 150 = 20,
): Html {
  const found = images?.image_thumbnail_uri || images?.image_uri;
  if (!found?.endsWith('.png')) return letter(asset, size);
  return imageOf(found, size);
}

/** @param found URL or path of a picture that this server has made */
export function imageOf(found: string, size: number): Html {
  // Behind a path prefix the images are behind it, too.
  const source = found.startsWith('/') ? `..${found}` : found;
  return html`<img src="${source}" width="${size}" height="${size}" alt="" loading="lazy" decoding="async"> `;
}

const COLOURS = 6;

function letter(asset: string, size: number): Html {
  const colour = [...asset].reduce((sum, each) => (sum * 31 + (each.codePointAt(0) ?? 0)) % 65_521, 7) % COLOURS;
  const [first = '·'] = assetParts(asset).name.match(/[\p{L}\p{N}]/u) ?? [];
  return html`<span class="letter l${size} c${colour}" aria-hidden="true">${first.toUpperCase()}</span> `;
}
