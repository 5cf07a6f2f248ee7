export interface Placeholders {
  /** Decimal token number. */
  readonly id: string;
  readonly locale?: string;
}

const PLACEHOLDER = /\{id\}|\$TOKEN_ID|\{locale\}/gi;

/** `{id}` and `$TOKEN_ID` become the token number, `{locale}` the locale or nothing; all of them, in any case. The rest is untouched. */
export function fillPlaceholders(template: string, { id, locale = '' }: Placeholders): string {
  return template.replace(PLACEHOLDER, found => (found.toLowerCase() === '{locale}' ? locale : id));
}
