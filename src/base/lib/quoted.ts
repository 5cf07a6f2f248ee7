/** What a client sent, as an error shows it: in quotes, the first 100 characters. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));
