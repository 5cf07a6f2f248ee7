import type * as Api from '../../routes/records.ts';
import { assetParts, nftPath, shortened, shortHash } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { picture } from './token-picture.ts';
import { type FoundTokens, itemKey, numberOf } from './token-units.ts';

/** An NFT in a gallery: its picture, its name and its collection. @param items of `fetchTokens`, which requested its `itemKey` */
export function nftCard(nft: Api.NftPosition, items: FoundTokens): Html {
  const { asset_identifier: asset, value } = nft;
  const found = items.get(itemKey(nft) ?? '');
  const collection = assetParts(asset).name;
  const name = found?.name || `${collection} ${valueText(value)}`;
  return html`<a class="nft" href="${nftPath(asset, value.hex)}" title="${asset}">${picture(found, asset, 150)}<bdi>${shortened(name, 60)}</bdi>${found?.name && html`<small><bdi>${shortened(collection, 30)}</bdi> ${valueText(value)}</small>`}</a>`;
}

/** `#7`, or the beginning of a value that is no number. */
function valueText({ hex, repr }: Api.NftPosition['value']): string {
  const number = numberOf(hex);
  if (number !== undefined) return `#${number}`;
  return repr.length <= 24 ? repr : shortHash(hex);
}
