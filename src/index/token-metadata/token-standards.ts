export const STANDARDS = ['sip-009', 'sip-010', 'sip-013'] as const;
/** The token standard that a contract follows: non-fungible, fungible or semi-fungible tokens. */
export type TokenStandard = (typeof STANDARDS)[number];

export const UPDATE_MODES = ['standard', 'frozen', 'dynamic'] as const;
/** How often metadata may change, as SIP-019 names it. */
export type UpdateMode = (typeof UPDATE_MODES)[number];
