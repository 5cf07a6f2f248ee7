import { createHash } from 'node:crypto';

/** A subdomain from a TXT record of a zone file. */
interface SubdomainRecord {
  readonly label: string;
  readonly owner: string;
  /** Its own zone file. */
  readonly zoneFile: Uint8Array;
}

/** A zone file as text. */
export const zoneFileText = (content: Uint8Array): string => Buffer.from(content).toString('utf8');

/** The hash by which the zone file of a subdomain is known: the last 16 bytes of its SHA-256. */
export const subdomainHash = (zoneFile: Uint8Array): Uint8Array =>
  createHash('sha256').update(zoneFile).digest().subarray(16);

/**
 * Longest text, in characters; longer ones are left out. A path segment of the API is at most this long, so no request can name such an
 * owner, and a key of an index must be short.
 */
const MAX_TEXT = 250;

/**
 * The subdomains of a zone file: TXT records `label [ttl] [IN] TXT "owner=..." "seqn=..." ...`, strings quoted or bare.
 * Other content is ignored. Of records with the same label the last counts. Takes time linear in the text and
 * never throws (docs/spec/names.md#subdomains).
 */
export function subdomainRecords(text: string): SubdomainRecord[] {
  const records = new Map<string, SubdomainRecord>();
  for (const line of text.split(/[\r\n]/)) {
    const record = line.includes('owner=') ? subdomainRecord(wordsOf(line)) : undefined;
    if (record) records.set(record.label, record);
  }
  return [...records.values()];
}

function subdomainRecord(words: readonly string[]): SubdomainRecord | undefined {
  const [label = '', ...rest] = words;
  const type = rest.findIndex(word => !isTtlOrClass(word));
  if (rest[type]?.toUpperCase() !== 'TXT') return undefined;
  const strings = rest.slice(type + 1);
  const owner = valueText(strings.find(word => word.startsWith('owner=')));
  if (!isUsable(label) || !isUsable(owner)) return undefined;
  // The parts in the order of the record, whatever their numbers.
  const parts = strings.filter(word => word.startsWith('zf')).map(valueText);
  return { label, owner, zoneFile: Buffer.from(parts.join(''), 'base64') };
}

/** Of `key=value`. The text after a second `=` is not part of the value, as recorded. */
const valueText = (word: string | undefined): string => word?.split('=', 2)[1] ?? '';

export const isTtlOrClass = (word: string): boolean => /^(\d{1,10}[smhdw]?|IN)$/i.test(word);

const isUsable = (text: string): boolean => text.length > 0 && text.length <= MAX_TEXT && !text.includes('\0');

/** The words of a line: between blanks, or between quotes, with `\` before a literal quote. A `;` begins a comment. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < line.length; ) {
    const start = line[at] ?? '';
    if (start === ';') break;
    if (BLANK.test(start)) at++;
    else if (start === '"') {
      const end = closingQuote(line, at + 1);
      words.push(line.slice(at + 1, end).replace(/\\(.)/g, '$1'));
      at = end + 1;
    } else {
      const end = endOfBareWord(line, at);
      words.push(line.slice(at, end));
      at = end;
    }
  }
  return words;
}

const BLANK = /\s/;
const ENDS_BARE_WORD = /[\s";]/;

function endOfBareWord(line: string, start: number): number {
  let at = start;
  while (at < line.length && !ENDS_BARE_WORD.test(line[at] ?? '')) at++;
  return at;
}

/** The position of the quote that ends a word; the end of the line without one. */
function closingQuote(line: string, start: number): number {
  let at = start;
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}
