import type * as Api from '../../routes/records.ts';
import type { ApiClient } from '../client.ts';
import { counted, grouped } from '../format/amounts.ts';
import { assetParts, fullId, pathTo, principalLink, query, shortened, txLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { clarityTree } from '../parts/clarity.ts';
import { cursorPager, dataTable, facts, heading, pageRangeOf, pager, section, summary, tabs } from '../parts/lists.ts';
import { fetchTokens, imageOf, itemKey, nftCard, numberOf, picture, tokenKinds } from '../parts/tokens.ts';

/** A collection of NFTs; with `?value=` one of them. */
export const nftPage: PageRenderer = (api, request) =>
  request.query.value === undefined ? collection(api, request) : item(api, request);

const COLLECTIONS_A_PAGE = 20;

/** All collections, those with most owners first. The picture is that of the token with number 1. */
export const collectionsPage: PageRenderer = async (api, { query: asked }) => {
  const list = await api.get<Api.PageByCursor<Api.NftCollection>>(
    `/extended/v3/tokens/nft${query({ limit: COLLECTIONS_A_PAGE, cursor: asked.cursor })}`,
  );
  const contractOf = ({ asset_identifier }: Api.NftCollection) => assetParts(asset_identifier).contract;
  const items = await fetchTokens(
    api,
    list.results.map(each => `${contractOf(each)}:1`),
  );
  const body = html`${heading('Stacks', 'NFT collections')}
${tokenKinds('nfts')}
<div data-part="list">${dataTable<Api.NftCollection>(
    'Collections, those with most owners first',
    [
      {
        head: 'Collection',
        isMain: true,
        cell: each =>
          html`${picture(items.get(`${contractOf(each)}:1`), each.asset_identifier)}<a href="${pathTo('nft', each.asset_identifier)}"><bdi>${shortened(assetParts(each.asset_identifier).name, 40)}</bdi></a>`,
      },
      { head: 'Items', numeric: true, cell: ({ items }) => grouped(items) },
      { head: 'Owners', numeric: true, cell: ({ owners }) => grouped(owners) },
      { head: 'Mints', isMinor: true, numeric: true, cell: ({ mints }) => grouped(mints) },
      { head: 'Contract', isMinor: true, cell: each => principalLink(contractOf(each)) },
    ],
    list.results,
    'There are none yet.',
  )}${cursorPager(list, 'nfts')}</div>`;
  return { title: 'NFT collections', body, live: ['block'] };
};

const collection: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const path = pathTo('nft', asset);
  const part = asked.tab === 'mints' ? 'mints' : 'items';
  const { contract, name } = assetParts(asset);
  const [found, list] = await Promise.all([
    api.find<Api.NftCollection>(`/extended/v3/tokens/nft/${pathTo(asset)}`),
    part === 'mints' ? mintsOf(api, asset, path, asked.page) : itemsOf(api, asset, path, asked.cursor),
  ]);
  const body = html`${heading('Collection', html`<bdi>${name}</bdi>`, fullId(asset))}
<div data-part="lead">${summary([
    ['Items', html`<b>${grouped(found?.items ?? 0)}</b>`],
    ['Owners', grouped(found?.owners ?? 0)],
    ['Mints', grouped(found?.mints ?? 0)],
    ['Contract', principalLink(contract)],
  ])}</div>
${tabs('Parts of the collection', [
  { text: counted(found?.items ?? 0, 'item'), path, isCurrent: part === 'items' },
  { text: counted(found?.mints ?? 0, 'mint'), path: `${path}${query({ tab: 'mints' })}`, isCurrent: part === 'mints' },
])}
<div data-part="list">${list}</div>`;
  return { title: `${name} · collection`, body, live: ['block'] };
};

const A_PAGE = 30;

/** The tokens that exist, each with its owner. */
async function itemsOf(api: ApiClient, asset: string, path: string, cursor: string | undefined): Promise<Html> {
  const list = await api.find<Api.PageByCursor<Api.NftItem>>(
    `/extended/v3/tokens/nft/${pathTo(asset)}/items${query({ limit: A_PAGE, cursor })}`,
  );
  if (!list || list.results.length === 0) return html`<p class="none">It has no items now.</p>`;
  const nfts = list.results.map(({ value }) => ({ asset_identifier: asset, value }));
  const items = await fetchTokens(
    api,
    nfts.flatMap(nft => itemKey(nft) ?? []),
  );
  return html`<ul class="gallery">${list.results.map(
    ({ owner }, i) => html`<li>${nfts[i] && nftCard(nfts[i], items)}<small>of ${principalLink(owner)}</small></li>`,
  )}</ul>${cursorPager(list, path)}`;
}

async function mintsOf(api: ApiClient, asset: string, path: string, page: string | undefined): Promise<Html> {
  const place = pageRangeOf(page, A_PAGE);
  const mints = await api.get<Api.OffsetPage<Api.MintRecord>>(
    `/extended/v1/tokens/nft/mints${query({ asset_identifier: asset, ...place })}`,
  );
  if (mints.results.length === 0) return html`<p class="none">Nothing was minted.</p>`;
  const minted = mints.results.map(({ value }) => ({ asset_identifier: asset, value }));
  const items = await fetchTokens(
    api,
    minted.flatMap(nft => itemKey(nft) ?? []),
  );
  return html`<ul class="gallery">${mints.results.map(
    ({ recipient, tx_id }, i) =>
      html`<li>${minted[i] && nftCard(minted[i], items)}<small>for ${principalLink(recipient)} in ${txLink(tx_id)}</small></li>`,
  )}</ul>${pager(place, mints.total, path, { tab: 'mints' })}`;
}

const item: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const hex = asked.value ?? '';
  const place = pageRangeOf(asked.page, 30);
  const { contract, name } = assetParts(asset);
  // Version 3 has the value in the path, whose length is too small for long values.
  const history = await api.get<Api.OffsetPage<Api.NftEventRecord>>(
    `/extended/v1/tokens/nft/history${query({ asset_identifier: asset, value: hex, ...place })}`,
  );
  const number = numberOf(hex);
  const metadata =
    number === undefined
      ? undefined
      : await api.find<Api.NftMetadata>(`/metadata/v1/nft/${pathTo(contract, String(number))}`);
  const label = number === undefined ? '' : ` #${number}`;
  const newest = place.offset === 0 ? history.results[0] : undefined;
  const body = html`${heading('NFT', html`<bdi>${metadata?.metadata?.name || `${name}${label}`}</bdi>`, html`of <a href="${pathTo('nft', asset)}"><bdi>${asset}</bdi></a>`)}
<p class="lead" data-part="owner">${newest && ownerText(newest)}</p>
<div class="columns-2"><div>${largePicture(metadata)}${section('Its value', clarityTree({ hex, repr: hex }))}</div>
${metadata && section('Said to be', attributes(metadata))}</div>
<div data-part="history">${section(
    'History',
    dataTable<Api.NftEventRecord>(
      'What happened to it, the newest first',
      [
        { head: 'What', cell: move => moveText(move) },
        { head: 'Transaction', isMain: true, cell: ({ tx_id }) => txLink(tx_id) },
      ],
      history.results,
      'Nothing is known of it.',
    ),
  )}</div>
${pager(place, history.total, pathTo('nft', asset), { value: hex })}`;
  return { title: `${name}${label} · NFT`, body, live: ['block'] };
};

const ownerText = ({ recipient }: Api.NftEventRecord): Html =>
  recipient ? html`It belongs to ${principalLink(recipient)}.` : html`It was burnt: it belongs to nobody.`;

function moveText({ asset_event_type, sender, recipient }: Api.NftEventRecord): Html {
  switch (asset_event_type) {
    case 'mint':
      return html`minted for ${principalLink(recipient ?? '')}`;
    case 'transfer':
      return html`${principalLink(sender ?? '')} <span aria-label="gives to">→</span> ${principalLink(recipient ?? '')}`;
    case 'burn':
      return html`burnt by ${principalLink(sender ?? '')}`;
    default:
      return asset_event_type satisfies never;
  }
}

/** A picture of 512 pixels, if the window is large enough. */
function largePicture(metadata: Api.NftMetadata | undefined): Html | undefined {
  const found = metadata?.metadata?.cached_image || metadata?.metadata?.cached_thumbnail_image;
  return found?.endsWith('.png') ? html`<p class="large-picture">${imageOf(found, 512)}</p>` : undefined;
}

const attributes = ({ metadata, token_uri }: Api.NftMetadata): Html =>
  facts([
    ['Description', metadata?.description && html`<bdi>${metadata.description.slice(0, 500)}</bdi>`],
    ...(metadata?.attributes ?? [])
      .slice(0, 50)
      .map(({ trait_type, value }) => [String(trait_type ?? ''), html`<bdi>${String(value)}</bdi>`] as const),
    ['Metadata', token_uri && html`<span class="dim">${token_uri}</span>`],
  ]);
