import type { TokenStandard } from '../../../index/token-metadata/standard.ts';
import type { MetadataAttribute } from '../../../metadata/document/document.ts';
import type { TokenFacts } from '../../../metadata/jobs/stored.ts';
import type { FoundToken } from './find-token.ts';
import type { FetchedDocument, TokenContract } from './queries.ts';

/** JSON texts of responses, keys in emitted order; undefined and null members are left out. */

const SIP = 16;

/**
 * The metadata of a document; undefined without a document or without a name in it. Texts that are missing are empty.
 */
function metadataOf(fetched: FetchedDocument | undefined, imagesUrl: string) {
  if (!fetched || fetched.document.name === '') return undefined;
  const { document, cachedImage, cachedThumbnail } = fetched;
  const { name, description, image, attributes = [], properties = {}, localization } = document;
  return {
    sip: SIP,
    name,
    description,
    image,
    cached_image: urlOf(cachedImage, imagesUrl),
    cached_thumbnail_image: urlOf(cachedThumbnail, imagesUrl),
    attributes: attributes.length > 0 ? attributes.map(shownAttribute) : undefined,
    properties: Object.keys(properties).length > 0 ? properties : undefined,
    localization,
  };
}

/** Every value becomes a text: other values than texts become their JSON. */
const shownAttribute = ({ value, ...attribute }: MetadataAttribute) => ({
  trait_type: attribute.trait_type,
  value: typeof value === 'string' ? value : JSON.stringify(value),
  display_type: attribute.display_type,
});

const urlOf = (file: string | null, imagesUrl: string): string => (file === null ? '' : `${imagesUrl}${file}`);

/** An empty URI counts as missing. */
const uriOf = ({ uri }: TokenFacts): string | undefined => uri || undefined;

/** getNftMetadataV1. */
export function nftRecord({ token, document }: FoundToken, imagesUrl: string): string {
  return JSON.stringify({ token_uri: uriOf(token), metadata: metadataOf(document, imagesUrl) });
}

export function sftRecord({ token, document }: FoundToken, imagesUrl: string): string {
  return JSON.stringify({
    token_uri: uriOf(token),
    decimals: token.decimals ?? undefined,
    total_supply: token.totalSupply ?? undefined,
    metadata: metadataOf(document, imagesUrl),
  });
}

export function ftRecord(found: FoundToken, imagesUrl: string): string {
  const { summary, metadata } = ftSummary(found.contract, found.token, found.document, imagesUrl);
  return JSON.stringify({ ...summary, metadata });
}

/** A fungible token in a list; facts that were not fetched yet are left out. */
export function ftListRecord(
  contract: TokenContract,
  token: TokenFacts | undefined,
  document: FetchedDocument | undefined,
  imagesUrl: string,
): string {
  const { summary } = ftSummary(contract, token, document, imagesUrl);
  return JSON.stringify({ ...summary, contract_principal: contract.contractId });
}

const TOKEN_TYPES = { 'sip-009': 'nft', 'sip-010': 'ft', 'sip-013': 'sft' } as const satisfies Record<
  TokenStandard,
  string
>;

/** A token of any standard among others (searchTokensV1). @param number of the token, decimal: it can have more digits than a number holds */
export function foundTokenRecord({ contract, token, document }: FoundToken, number: string, imagesUrl: string): string {
  const metadata = metadataOf(document, imagesUrl);
  const { contractId, standard, ftAsset, txId, sender } = contract;
  const members = JSON.stringify({
    token_type: TOKEN_TYPES[standard],
    name: token.name ?? metadata?.name,
    symbol: token.symbol ?? undefined,
    decimals: token.decimals ?? undefined,
    total_supply: token.totalSupply ?? undefined,
    token_uri: uriOf(token),
    description: metadata?.description,
    image_uri: metadata?.cached_image,
    image_thumbnail_uri: metadata?.cached_thumbnail_image,
    image_canonical_uri: metadata?.image,
    tx_id: txId,
    sender_address: sender,
    asset_identifier: standard === 'sip-010' ? `${contractId}::${ftAsset}` : undefined,
  });
  return `{"contract_id":${JSON.stringify(contractId)},"token_number":${number},${members.slice(1)}`;
}

function ftSummary(
  { contractId, ftAsset, txId, sender }: TokenContract,
  token: TokenFacts | undefined,
  document: FetchedDocument | undefined,
  imagesUrl: string,
) {
  const metadata = metadataOf(document, imagesUrl);
  const summary = {
    name: token?.name ?? undefined,
    symbol: token?.symbol ?? undefined,
    decimals: token?.decimals ?? undefined,
    total_supply: token?.totalSupply ?? undefined,
    token_uri: token && uriOf(token),
    description: metadata?.description,
    tx_id: txId,
    sender_address: sender,
    asset_identifier: `${contractId}::${ftAsset}`,
    image_uri: metadata?.cached_image,
    image_canonical_uri: metadata?.image,
    image_thumbnail_uri: metadata?.cached_thumbnail_image,
  };
  return { summary, metadata };
}
