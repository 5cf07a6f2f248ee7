import { ApiError } from '../../http/errors.ts';
import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { accountLink, fullId, nameLink, pathTo, query, txLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageContent, PageRenderer } from '../page.ts';
import { facts, heading, section } from '../parts/lists.ts';
import { nameExpiry } from '../parts/name-expiry.ts';

/** Length of a page of names in the API, which has no total. */
const NAMES_A_PAGE = 100;

/** All names in alphabetical order; with `?space=`, those of one namespace. */
export const namesPage: PageRenderer = async (api, { query: asked }) => {
  const page = /^\d{1,6}$/.test(asked.page ?? '') ? Math.max(1, Number(asked.page)) : 1;
  const space = asked.space;
  const list = space === undefined ? '/v1/names' : `/v1/namespaces/${pathTo(space)}/names`;
  const [names, spaces] = await Promise.all([
    api.get<readonly string[]>(`${list}${query({ page: page - 1 })}`),
    api.get<Api.Namespaces>('/v1/namespaces'),
  ]);
  const link = (to: number) => `names${query({ space, page: to === 1 ? undefined : to })}`;
  const body = html`${heading('Stacks', space === undefined ? 'Names' : html`Names of <bdi>.${space}</bdi>`)}
<form class="filter" action="search" role="search" aria-label="Find a name"><label>Is this name free? <input name="q" placeholder="alice.btc" maxlength="100" autocapitalize="off" spellcheck="false"></label> <button>Look</button></form>
<p>Namespaces: ${spaces.namespaces.map(each => html`<a href="names${query({ space: each })}"><bdi>.${each}</bdi></a> `)}${space !== undefined && html`<a href="names">all</a>`}</p>
${names.length === 0 ? html`<p class="none">There are none${page > 1 && ' on this page'}.</p>` : html`<ul class="gallery">${names.map(name => html`<li>${nameLink(name)}</li>`)}</ul>`}
<nav class="pager" aria-label="Pages">${page > 1 && html`<a href="${link(page - 1)}" rel="prev">Previous</a>`} <span>Page ${page}</span> ${names.length >= NAMES_A_PAGE && html`<a href="${link(page + 1)}" rel="next">Next</a>`}</nav>`;
  return { title: 'Names', body };
};

/** A name: its owner, its expiry and its zone file; or that it is not registered. */
export const namePage: PageRenderer = async (api, { params }) => {
  const name = params.name ?? '';
  const id = pathTo(name);
  const info = await api.find<Api.NameInfo>(`/v1/names/${id}`);
  if (!info) return unregistered(api, name);
  const [subdomains, expiry] = await Promise.all([
    api.get<readonly string[]>(`/v1/names/${id}/subdomains`),
    nameExpiry(api, info),
  ]);
  const body = html`${heading('Name', html`<bdi>${name}</bdi>`)}
${unusual(name)}
<p class="lead">${info.address === '' ? 'It has no owner.' : html`Owner: ${accountLink(info.address)}`}</p>
${section(
  'Details',
  facts([
    ['Owner', info.address !== '' && fullId(info.address)],
    ['Status', 'Registered'],
    ['Expires', expiry],
    ['Last operation', info.status.replaceAll(/[-_]/g, ' ')],
    ['Last changed in', info.last_txid && /^0x/.test(info.last_txid) && txLink(info.last_txid)],
  ]),
)}
${subdomains.length > 0 && section('Subdomains', html`<ul class="gallery">${subdomains.slice(0, 100).map(each => html`<li>${nameLink(each)}</li>`)}</ul>`)}
${info.zonefile && section('Zone file', html`<pre>${info.zonefile}</pre>`)}`;
  return { title: `${name} · name`, body, live: ['block'] };
};

/** A name that a failed or pending transaction would register, or that a reader wants to register. */
async function unregistered(api: ApiClient, name: string): Promise<PageContent> {
  const labels = name.split('.');
  const space = labels.at(-1) ?? '';
  if (labels.length < 2 || labels.includes('')) throw new ApiError(404, `There is no name ${name}`);
  const { namespaces } = await api.get<Api.Namespaces>('/v1/namespaces');
  const body = html`${heading('Name', html`<bdi>${name}</bdi>`)}
${unusual(name)}
<p class="lead">Not registered.</p>
<p>${
    namespaces.includes(space)
      ? html`No account owns this name as of now. <a href="names${query({ space })}">Names of <bdi>.${space}</bdi></a>`
      : html`The namespace <b><bdi>.${space}</bdi></b> does not exist. <a href="names">Namespaces</a>`
  }</p>`;
  return { title: `${name} · not registered`, body, live: ['block'] };
}

const unusual = (name: string): Html | false =>
  !/^[a-z0-9_.-]+$/.test(name) &&
  html`<p class="warn">⚠ It has characters beside a–z, 0–9, - and _: other names can look the same. Its characters: <code>${codePoints(name)}</code></p>`;

const codePoints = (text: string): string =>
  [...text].map(each => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ');
