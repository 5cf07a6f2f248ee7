/** The order of texts by their UTF-16 units, for `sort`: negative where `a` comes first. */
export const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
