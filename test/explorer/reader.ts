/** A reader of the explorer, who sees the words of a page and nothing of its addresses. */
import assert from 'node:assert/strict';
import type { TestIndex } from '../support/test-index.ts';

/** What a reader does on a page: follows a link by its words, or sends a form by the words beside its fields and on its button. */
export type Step =
  | { readonly click: string | RegExp }
  | { readonly fill: Readonly<Record<string, string>>; readonly press: string };

/** A page as its reader sees it. */
export class Reader {
  readonly #index: TestIndex;
  readonly #path: string;
  readonly #body: string;

  private constructor(index: TestIndex, path: string, body: string) {
    this.#index = index;
    this.#path = path;
    this.#body = body;
  }

  /** @returns a reader who has opened the page of this path, or the one that it leads to */
  static async of(index: TestIndex, path = '/explorer'): Promise<Reader> {
    const { status, headers, body } = await index.page(path);
    if (status !== 302) return new Reader(index, path, body);
    const { pathname, search } = new URL(String(headers.location), `http://a${path}`);
    return Reader.of(index, pathname + search);
  }

  /** The words of the page: one line for each row, paragraph and fact; cells of a row are apart by ` | `. */
  get words(): string {
    return wordsOf(this.#body.slice(this.#body.indexOf('<main'), this.#body.indexOf('</main>')));
  }

  /** @returns the reader of the page that the step leads to @throws AssertionError if this page does not offer the step */
  async take(step: Step): Promise<Reader> {
    const target = 'click' in step ? linkIn(this.#body, step.click) : formIn(this.#body, step.fill, step.press);
    const wanted = 'click' in step ? step.click : `${Object.keys(step.fill)} [${step.press}]`;
    assert.ok(target !== undefined, `${this.#path} does not offer: ${wanted}`);
    const base = new URL(/<base href="([^"]+)">/.exec(this.#body)?.[1] ?? '', `http://a${this.#path}`);
    const { pathname, search } = new URL(target, base);
    return Reader.of(this.#index, pathname + search);
  }
}

/** Not shown: scripts, titles of pictures, what needs a script, and what only screen readers read. */
const UNSEEN = /<(script|style|title)\b.*?<\/\1>|<(\w+)\b[^>]*(?: hidden| class="unseen")(?=[ >])[^>]*>.*?<\/\2>/gs;
/** A part that is folded shows its summary. */
const FOLDED = /<details(?![^>]* open)[^>]*>\s*(<summary.*?<\/summary>).*?<\/details>/gs;

const wordsOf = (html: string): string =>
  decoded(
    html
      .replace(UNSEEN, '')
      .replace(FOLDED, '$1')
      .replace(/<q\b[^>]*>(.*?)<\/q>/gs, '“$1”')
      .replace(/<\/(td|th|dt)>/g, ' | ')
      .replace(/<\/(tr|p|li|dd|h\d|div|section|nav|form|caption|summary|option)>|<br>/g, '\n')
      .replace(/<[^>]*>/g, ''),
  )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/[ |]*\n[\s|]*/g, '\n')
    .trim();

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The address of the first link with these words. */
function linkIn(body: string, words: string | RegExp): string | undefined {
  for (const [, href = '', inner = ''] of body.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)) {
    const shown = wordsOf(inner);
    if (typeof words === 'string' ? shown === words : words.test(shown)) return decoded(href);
  }
  return undefined;
}

/** The address to which a form with such fields and such a button leads, as a browser makes it: with all its other fields as they are. */
function formIn(body: string, fill: Readonly<Record<string, string>>, button: string): string | undefined {
  for (const [, action = '', form = ''] of body.matchAll(/<form [^>]*?action="([^"]*)"[^>]*>(.*?)<\/form>/gs)) {
    if (!form.includes(`<button>${button}</button>`)) continue;
    const sent = new URLSearchParams();
    const filled = new Set<string>();
    for (const field of fieldsOf(form)) {
      const entry = fill[field.label];
      if (entry !== undefined) filled.add(field.label);
      sent.set(field.name, entry === undefined ? field.value : (field.options.get(entry) ?? entry));
    }
    if (filled.size === Object.keys(fill).length) return `${decoded(action)}?${sent}`;
  }
  return undefined;
}

interface Field {
  readonly name: string;
  /** The words beside it or in it while it is empty; the name of a menu. */
  readonly label: string;
  readonly value: string;
  /** The values of a menu, by their words. */
  readonly options: ReadonlyMap<string, string>;
}

function fieldsOf(form: string): Field[] {
  const fields: Field[] = [];
  const controls = /(?:<label>([^<]*))?<(?:input ([^>]*)>|select ([^>]*)>(.*?)<\/select>)/gs;
  for (const [, beside, input, select, inner = ''] of form.matchAll(controls)) {
    const attribute = (name: string) =>
      decoded(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(input ?? select ?? '')?.[1] ?? '');
    const options = [...inner.matchAll(/<option value="([^"]*)"( selected)?>(.*?)<\/option>/gs)];
    fields.push({
      name: attribute('name'),
      label: beside?.trim() || attribute('placeholder') || attribute('aria-label'),
      value: decoded(options.find(([, , selected]) => selected)?.[1] ?? attribute('value')),
      options: new Map(options.map(([, value = '', , words = '']) => [wordsOf(words), decoded(value)])),
    });
  }
  return fields;
}
