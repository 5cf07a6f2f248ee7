import fc from '../support/fast-check.ts';

/** What a chain has more of than of other happenings. */
export interface Theme {
  /** Indexes in the table of kinds of transactions (transactions.ts). */
  readonly kinds: readonly number[];
  /** Weight of zone files among the steps. */
  readonly zoneFiles: number;
}

export const NO_THEME: Theme = { kinds: [], zoneFiles: 1 };

const THEMES: Readonly<Record<string, Theme>> = {
  none: NO_THEME,
  names: { kinds: [14, 14, 14, 16], zoneFiles: 6 },
  zoneFiles: { kinds: [14], zoneFiles: 8 },
  bonds: { kinds: [18, 19], zoneFiles: 1 },
  staking: { kinds: [15, 17, 18], zoneFiles: 1 },
  fungible: { kinds: [6], zoneFiles: 1 },
  nonFungible: { kinds: [7, 8], zoneFiles: 1 },
  pox: { kinds: [5, 12, 13], zoneFiles: 1 },
  contracts: { kinds: [9, 10], zoneFiles: 1 },
};

/** One for a chain, so that what seldom happens, happens several times on some chains. */
export const anyTheme: fc.Arbitrary<Theme> = fc.constantFrom(...Object.values(THEMES));
