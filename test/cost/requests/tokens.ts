import { BUSY, BUSY_CONTRACT, type GrowingChain, QUIET, QUIET_COIN, QUIET_NFTS, QUIET_SFTS } from '../growing-chain.ts';
import { LIMIT, list, page, type Request } from './request.ts';

const encode = encodeURIComponent;

/** STX, tokens and their metadata. */
export function ofTokens({ quietBlock: block }: GrowingChain): Request[] {
  return [
    ...holders(),
    page('getStxSupply', '/extended/v1/stx_supply'),
    page('getStxSupply at a height', `/extended/v1/stx_supply?height=${block.height}`),
    page('getTotalStxSupplyLegacyFormat', '/extended/v1/stx_supply/legacy_format'),
    page('getStxSupplyTotalSupplyPlain', '/extended/v1/stx_supply/total/plain'),
    page('getStxSupplyCirculatingPlain', '/extended/v1/stx_supply/circulating/plain'),
    list('getNftMints quiet asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${QUIET_NFTS}::cat`)}`),
    list('getNftMints busy asset', `/extended/v1/tokens/nft/mints?asset_identifier=${encode(`${BUSY_CONTRACT}::cat`)}`),
    page('getNftMetadata', `/metadata/v1/nft/${QUIET_NFTS}/3`),
    page('getSftMetadata', `/metadata/v1/sft/${QUIET_SFTS}/3`),
    page('FT token', `/metadata/v1/ft/${QUIET_COIN}`),
    list('FT list', '/metadata/v1/ft'),
    page('look-alikes', `/metadata/v1/ft/${QUIET_COIN}/lookalikes?limit=${LIMIT}`),
    page('several tokens', `/metadata/v1/search?contract=${QUIET_COIN},${QUIET_NFTS}:3,${QUIET_SFTS}:3`),
    page('metadata status', '/metadata/v1'),
  ];
}

function holders(): Request[] {
  const cats = (contract: string) => encode(`${contract}::cat`);
  return [
    list('getFtHolders STX', '/extended/v1/tokens/ft/stx/holders'),
    list('getFtHolders quiet token', `/extended/v1/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/holders`),
    list('getNftHoldings quiet address', `/extended/v1/tokens/nft/holdings?principal=${QUIET}`),
    list('getNftHoldings busy address', `/extended/v1/tokens/nft/holdings?principal=${BUSY}`),
    list(
      'getNftHoldings busy address, an asset',
      `/extended/v1/tokens/nft/holdings?principal=${BUSY}&asset_identifiers=${cats(BUSY_CONTRACT)}`,
    ),
    page(
      'getNftHistory',
      `/extended/v1/tokens/nft/history?asset_identifier=${cats(QUIET_NFTS)}&value=0x0100000000000000000000000000000001`,
    ),
  ];
}
