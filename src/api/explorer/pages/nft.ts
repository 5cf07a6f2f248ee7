import type * as Api from '../../routes/records.ts';
import { counted } from '../format/amounts.ts';
import { assetParts, fullId, pathTo, principalLink, query, txLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { clarityTree } from '../parts/clarity.ts';
import { dataTable, facts, heading, pageRangeOf, pager, section } from '../parts/lists.ts';
import { fetchTokens, imageOf, itemKey, nftCard, numberOf } from '../parts/tokens.ts';

/** A collection of NFTs by its mints; with `?value=` one of them. */
export const nftPage: PageRenderer = (api, request) =>
  request.query.value === undefined ? collection(api, request) : item(api, request);

const collection: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const place = pageRangeOf(asked.page, 30);
  const mints = await api.get<Api.OffsetPage<Api.MintRecord>>(
    `/extended/v1/tokens/nft/mints${query({ asset_identifier: asset, ...place })}`,
  );
  const { contract, name } = assetParts(asset);
  const minted = mints.results.map(({ value }) => ({ asset_identifier: asset, value }));
  const items = await fetchTokens(
    api,
    minted.flatMap(nft => itemKey(nft) ?? []),
  );
  const body = html`${heading('Collection', html`<bdi>${name}</bdi>`, fullId(asset))}
<p class="lead">${counted(mints.total, 'mint')} by ${principalLink(contract)}.</p>
<div data-part="mints">${section(
    'Mints, the newest first',
    mints.results.length === 0
      ? html`<p class="none">Nothing was minted.</p>`
      : html`<ul class="gallery">${mints.results.map(
          ({ recipient, tx_id }, i) =>
            html`<li>${minted[i] && nftCard(minted[i], items)}<small>for ${principalLink(recipient)} in ${txLink(tx_id)}</small></li>`,
        )}</ul>`,
  )}</div>
${pager(place, mints.total, pathTo('nft', asset))}`;
  return { title: `${name} · collection`, body, live: place.offset === 0 ? ['block'] : [] };
};
const item: PageRenderer = async (api, { params, query: asked }) => {
  const asset = params.asset ?? '';
  const hex = asked.value ?? '';
  const place = pageRangeOf(asked.page, 30);
  const { contract, name } = assetParts(asset);
  // Version 3 takes the value in the path, which is too short for long ones.
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

/** 512 pixels where the window has them. */
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
