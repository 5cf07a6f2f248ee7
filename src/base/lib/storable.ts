/** Whether every database can hold and compare this text: PostgreSQL refuses NUL, and neither engine keeps half a character. */
export function isStorable(text: unknown): boolean {
  return typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed());
}
