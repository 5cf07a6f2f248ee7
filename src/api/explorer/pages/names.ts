import type * as Api from '../../routes/records.ts';
import { fullId, nameLink, pathTo, principalLink, query, txLink } from '../format/links.ts';
import { aboutBitcoinBlocks } from '../format/times.ts';
import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { facts, heading, section } from '../parts/lists.ts';

/** Length of a page of names in the API, which gives no total. */
const NAMES_A_PAGE = 100;

/** All names in the order of the alphabet; `?space=` of one namespace. */
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
<p>Namespaces: ${spaces.namespaces.map(each => html`<a href="names${query({ space: each })}"><bdi>.${each}</bdi></a> `)}${space !== undefined && html`<a href="names">all</a>`}</p>
${names.length === 0 ? html`<p class="none">There are none${page > 1 && ' on this page'}.</p>` : html`<ul class="gallery">${names.map(name => html`<li>${nameLink(name)}</li>`)}</ul>`}
<nav class="pager" aria-label="Pages">${page > 1 && html`<a href="${link(page - 1)}" rel="prev">Previous</a>`} <span>Page ${page}</span> ${names.length >= NAMES_A_PAGE && html`<a href="${link(page + 1)}" rel="next">Next</a>`}</nav>`;
  return { title: 'Names', body };
};

/** A name: its owner, its expiry and its zone file. */
export const namePage: PageRenderer = async (api, { params }) => {
  const name = params.name ?? '';
  const id = pathTo(name);
  const [info, subdomains, status] = await Promise.all([
    api.get<Api.NameInfo>(`/v1/names/${id}`),
    api.get<readonly string[]>(`/v1/names/${id}/subdomains`),
    api.get<Api.Status>('/extended'),
  ]);
  const blocksLeft = (info.expire_block ?? 0) - (status.chain_tip?.burn_block_height ?? 0);
  const isUnusual = !/^[a-z0-9_.-]+$/.test(name);
  const body = html`${heading('Name', html`<bdi>${name}</bdi>`)}
${isUnusual && html`<p class="warn">⚠ It has characters beside a–z, 0–9, - and _: other names can look the same. Its characters: <code>${codePoints(name)}</code></p>`}
<p class="lead">${info.address === '' ? 'It belongs to nobody.' : html`It belongs to ${principalLink(info.address)}.`}</p>
${section(
  'Details',
  facts([
    ['Owner', info.address !== '' && fullId(info.address)],
    ['State', info.status.replaceAll('-', ' ')],
    [
      'Ends',
      info.expire_block && info.expire_block > 0
        ? html`at Bitcoin block ${info.expire_block.toLocaleString('en')}, ${blocksLeft > 0 ? `${aboutBitcoinBlocks(blocksLeft)} from now` : 'which has passed'}`
        : 'never',
    ],
    ['Last changed in', info.last_txid && /^0x/.test(info.last_txid) && txLink(info.last_txid)],
  ]),
)}
${subdomains.length > 0 && section('Subdomains', html`<ul class="gallery">${subdomains.slice(0, 100).map(each => html`<li>${nameLink(each)}</li>`)}</ul>`)}
${info.zonefile && section('Zone file', html`<pre>${info.zonefile}</pre>`)}`;
  return { title: `${name} · name`, body, live: ['block'] };
};

const codePoints = (text: string): string =>
  [...text].map(each => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(' ');
