/** Packs records: see packed-record.ts for the form. */
import { ANY_SHARED, FAR, LARGEST, NUMBERS, SHARED, ZEROS } from './shared-texts.ts';

/** What is stored of a record. @param json as it is served */
export const packRecord = (json: string): string => new RecordPacker().search(json).packed();

/** The shared texts of a text, each with the characters before it, and the characters after the last one. */
interface Found {
  readonly shared: readonly { readonly before: string; readonly number: number }[];
  readonly after: string;
}

/** A text that many records have, such as the keys between two values, with what was found in it. */
export interface Keys extends Found {
  /** All characters that are of no shared text. */
  readonly plain: string;
  /** What a head has of the shared texts but the first. */
  readonly head: string;
}

/** Keys before a value. */
interface KeysBefore extends Keys {
  /** Beginnings of a value that complete a shared text, the longest first, with the keys that end in them. */
  readonly starts: readonly { readonly text: string; readonly keys: Keys }[];
}

/**
 * Packs a record part by part. The result is what packRecord gives of all parts joined, if no shared text begins in one part and ends in
 * the next. Only `member` finds those that do.
 */
export class RecordPacker {
  #head = '';
  #rest = '';
  /** Characters of the rest since the last shared text. */
  #distance = 0;
  /** Whether a shared text had no room in the head: no further one is looked for. */
  #isFull = false;

  /** Adds a text that may have shared texts anywhere. */
  search(text: string): this {
    return this.#each(find(text));
  }

  keys(keys: Keys): this {
    const [first] = keys.shared;
    if (!first) return this.#plain(keys.after);
    const reference = referenceTo(this.#distance + first.before.length, first.number);
    if (this.#isFull || this.#head.length + reference.length + keys.head.length >= LARGEST) return this.#each(keys);
    this.#head += reference + keys.head;
    this.#rest += keys.plain;
    this.#distance = keys.after.length;
    return this;
  }

  /** Adds keys and the inside of the JSON string that follows. A shared text may begin in the keys and end in the value. */
  member(keys: KeysBefore, value: string): this {
    for (const { text, keys: completed } of keys.starts)
      if (value.startsWith(text)) return this.keys(completed).value(value.slice(text.length));
    return this.keys(keys).value(value);
  }

  /** Adds the inside of a JSON string, or a number. JSON escapes quotation marks, and of the shared texts only zeros have none inside. */
  value(text: string): this {
    if (text.length < ZEROS.length) return this.#plain(text);
    let from = 0;
    for (let at = text.indexOf(ZEROS); at >= 0; at = text.indexOf(ZEROS, from)) {
      const zeros = text.startsWith(ZEROS, at + ZEROS.length) ? ZEROS + ZEROS : ZEROS;
      this.#plain(text.slice(from, at)).#shared(NUMBERS.get(zeros) ?? 0);
      from = at + zeros.length;
    }
    return this.#plain(from === 0 ? text : text.slice(from));
  }

  packed(): string {
    return String.fromCharCode(this.#head.length + 1) + this.#head + this.#rest;
  }

  #each({ shared, after }: Found): this {
    for (const { before, number } of shared) this.#plain(before).#shared(number);
    return this.#plain(after);
  }

  #plain(text: string): this {
    this.#rest += text;
    this.#distance += text.length;
    return this;
  }

  #shared(number: number): this {
    const reference = referenceTo(this.#distance, number);
    this.#isFull ||= this.#head.length + reference.length >= LARGEST;
    if (this.#isFull) return this.#plain(SHARED[number - 1] ?? '');
    this.#head += reference;
    this.#distance = 0;
    return this;
  }
}

function referenceTo(distance: number, text: number): string {
  if (distance < LARGEST - 1) return String.fromCharCode(distance + 1, text);
  const far = Math.floor(distance / (LARGEST - 1));
  return String.fromCharCode(FAR).repeat(far) + String.fromCharCode((distance % (LARGEST - 1)) + 1, text);
}

/** Finds the shared texts of keys once, for all records that have the keys. */
export function knownKeys(text: string): Keys {
  const found = find(text);
  return {
    ...found,
    plain: found.shared.map(({ before }) => before).join('') + found.after,
    head: found.shared
      .slice(1)
      .map(({ before, number }) => referenceTo(before.length, number))
      .join(''),
  };
}

/** As knownKeys, for `member`. */
export function keysBefore(text: string): KeysBefore {
  const starts = [...new Set(SHARED.flatMap(shared => continuations(text, shared)))];
  return {
    ...knownKeys(text),
    starts: starts.sort((a, b) => b.length - a.length).map(start => ({ text: start, keys: knownKeys(text + start) })),
  };
}

/** What completes a shared text of which the keys end in the beginning. */
function continuations(keys: string, shared: string): string[] {
  const lengths = Array.from({ length: Math.min(keys.length, shared.length - 1) }, (_, i) => i + 1);
  return lengths.filter(length => keys.endsWith(shared.slice(0, length))).map(length => shared.slice(length));
}

function find(text: string): Found {
  const shared: Found['shared'][number][] = [];
  let from = 0;
  // Not `matchAll`, which compiles the expression anew for every text.
  ANY_SHARED.lastIndex = 0;
  for (let match = ANY_SHARED.exec(text); match !== null; match = ANY_SHARED.exec(text)) {
    shared.push({ before: text.slice(from, match.index), number: NUMBERS.get(match[0]) ?? 0 });
    from = match.index + match[0].length;
    if (shared.length * 2 >= LARGEST) break; // a head names no more
  }
  return { shared, after: text.slice(from) };
}
