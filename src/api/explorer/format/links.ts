import { type Html, html, slot } from '../html.ts';

/**
 * Links to pages of the explorer. They are relative to the `<base>` of every page, so they work behind any path prefix. Every part of
 * a path is encoded, so no content can make a link to another place.
 */

export const pathTo = (...parts: readonly (string | number)[]): string =>
  parts.map(part => encodeURIComponent(part).replaceAll("'", '%27')).join('/');

/** `?a=1&b=2`, without undefined and empty values. */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

/** `0x51c0e2…77ab9c` */
export const shortHash = (hash: string): string => (hash.length <= 20 ? hash : `${hash.slice(0, 8)}…${hash.slice(-6)}`);

/** `SP2J6Z…V9EJ7K`, with up to 30 characters of a contract's name. */
export function shortPrincipal(principal: string): string {
  const [address = '', name] = principal.split('.');
  const short = address.length <= 16 ? address : `${address.slice(0, 6)}…${address.slice(-6)}`;
  return name === undefined ? short : `${short}.${shortened(name, 30)}`;
}

export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** A link with a short id; hovering and the copy button use the whole id. */
const idLink = (path: string, id: string, short: string): Html =>
  html`<a class="id" href="${path}" title="${id}" data-id="${id}">${short}</a>`;

export const txLink = (id: string): Html => idLink(pathTo('tx', id), id, shortHash(id));
export const blockLink = (height: number): Html =>
  html`<a href="${pathTo('block', height)}">${height.toLocaleString('en')}</a>`;
export const blockHashLink = (hash: string): Html => idLink(pathTo('block', hash), hash, shortHash(hash));
export const burnLink = (height: number): Html =>
  html`<a href="${pathTo('btc', height)}">${height.toLocaleString('en')}</a>`;
export const forkPath = (id: string): string => pathTo('fork', id);
export const forkLink = (id: string, text: string): Html => html`<a href="${forkPath(id)}">${text}</a>`;
export const nameLink = (name: string): Html => html`<a href="${pathTo('name', name)}"><bdi>${name}</bdi></a>`;

/** The slot for the name of an address: see parts/slots.ts. */
export const NAME_SLOT = 'name';
/** The slot for an amount of a token, `<contract id>.<amount in the smallest unit>`: see parts/slots.ts. */
export const TOKEN_SLOT = 'tokens';

/** An address with its name, or a contract. */
export function principalLink(principal: string): Html {
  if (principal === '') return html`<span class="dim">no account</span>`;
  const link = accountLink(principal);
  return principal.includes('.') ? link : html`${link}${slot(NAME_SLOT, principal)}`;
}

/** An address or a contract, without a name beside it. */
export const accountLink = (principal: string): Html =>
  idLink(pathTo(principal.includes('.') ? 'contract' : 'address', principal), principal, shortPrincipal(principal));

/** An id in full, with a button that copies it. */
export const fullId = (id: string): Html =>
  html`<span class="full"><code data-id="${id}">${id}</code>${copyButton(id)}</span>`;

/** A hidden button, which only the script shows, as it needs the script. */
const copyButton = (text: string): Html =>
  html`<button type="button" class="copy" data-copy="${text}" hidden>copy</button>`;

/** `SP….token::coin` in its parts; `name` is the label of an asset without a symbol. */
export function assetParts(asset: string): { readonly contract: string; readonly name: string } {
  const at = asset.indexOf('::');
  return at < 0 ? { contract: asset, name: asset } : { contract: asset.slice(0, at), name: asset.slice(at + 2) };
}

export const tokenLink = (asset: string, label: string): Html =>
  html`<a href="${pathTo('token', asset)}" title="${asset}"><bdi>${shortened(label, 40)}</bdi></a>`;

/** The path of an NFT, by its serialised value. */
export const nftPath = (asset: string, hex: string): string => `${pathTo('nft', asset)}${query({ value: hex })}`;

export const nftLink = (asset: string, hex: string, label: string): Html =>
  html`<a href="${nftPath(asset, hex)}" title="${asset}"><bdi>${shortened(label, 60)}</bdi></a>`;
