import { encodeClarityUint } from '../../../src/base/codec/index.ts';
import { toHex } from '../../../src/base/lib/hex.ts';
import fc from '../../support/fast-check.ts';
import { FT_ASSET, NFT_ASSET } from '../transactions.ts';
import {
  at,
  cursorPages,
  eventPages,
  flag,
  named,
  numbers,
  on,
  pageParts,
  pageQuery,
  query,
  type Requests,
} from './parameters.ts';
import type { Subjects } from './subjects.ts';

/** STX and tokens: supplies, holders, histories. */
export const ofTokens = ({ height, address, principal, token }: Subjects): Requests => [
  { weight: 2, arbitrary: on(at('/extended/v1/tokens/ft/*/holders', token), pageQuery(200)) },
  { weight: 2, arbitrary: on(fc.constant('/extended/v1/tokens/nft/holdings'), holdingsQuery(principal)) },
  { weight: 2, arbitrary: on(fc.constant('/extended/v1/tokens/nft/history'), tokenHistoryQuery) },
  on(at('/extended/v1/tokens/nft/mints', fc.constant('')), mintQuery),
  fc.constantFrom('/extended/v3/tokens/stx/supply', `/extended/v3/tokens/ft/${encodeURIComponent(FT_ASSET)}/supply`),
  on(
    fc.constantFrom(
      '/extended/v3/tokens/stx/holders',
      `/extended/v3/tokens/ft/${encodeURIComponent(FT_ASSET)}/holders`,
    ),
    cursorPages(
      200,
      fc
        .tuple(fc.constantFrom('-5', '0', '1', '40', '999999999999'), address)
        .map(([balance, who]) => `${balance}:${who}`),
    ),
  ),
  {
    weight: 2,
    arbitrary: on(fc.constant(`/extended/v3/tokens/ft/${encodeURIComponent(FT_ASSET)}/transfers`), eventPages(height)),
  },
  on(
    fc
      .nat(6)
      .chain(id => fc.constantFrom(String(id), toHex(encodeClarityUint(id))))
      .map(value => `/extended/v3/tokens/nft/${encodeURIComponent(NFT_ASSET)}/${value}/history`),
    eventPages(height),
  ),
  on(fc.constant('/extended/v1/stx_supply'), supplyQuery),
  on(fc.constant('/extended/v1/stx_supply/legacy_format'), supplyQuery),
  fc.constantFrom('/extended/v1/stx_supply/total/plain', '/extended/v1/stx_supply/circulating/plain'),
];

const supplyQuery = query(numbers('height', 30), flag('unanchored'));

const holdingsQuery = (principal: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      principal,
      query(
        ...pageParts(200),
        flag('tx_metadata'),
        named('asset_identifiers', fc.constantFrom(NFT_ASSET, `${NFT_ASSET},${NFT_ASSET}-none`)),
      ),
    )
    .map(([who, rest]) => [`principal=${who}`, rest].filter(Boolean).join('&'));

const tokenHistoryQuery = fc
  .tuple(
    fc.nat(6).map(id => toHex(encodeClarityUint(id))),
    query(...pageParts(200), flag('tx_metadata'), flag('unanchored')),
  )
  .map(([value, rest]) =>
    [`asset_identifier=${encodeURIComponent(NFT_ASSET)}&value=${value}`, rest].filter(Boolean).join('&'),
  );

const mintQuery = query(...pageParts(50), flag('tx_metadata'), flag('unanchored')).map(rest =>
  [`asset_identifier=${encodeURIComponent(NFT_ASSET)}`, rest].filter(Boolean).join('&'),
);
