/** HTML that escapes by construction: text from a chain, a contract or a visitor stays text, whatever it contains. */

/** HTML that is safe to send; only `html` makes it. */
export class Html {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** The keys of all slots of this name, each once. */
  slots(name: string): readonly string[] {
    return [...new Set([...this.#text.matchAll(slotsNamed(name))].map(([, key = '']) => key))];
  }

  /** This HTML with content, perhaps empty, in each slot of this name. */
  filled(name: string, content: (key: string) => Html | undefined): Html {
    return new Html(this.#text.replace(slotsNamed(name), (_, key: string) => content(key)?.toString() ?? ''));
  }

  /** A template with its values: the text of the template is HTML, each value is text unless it is Html itself. */
  static of(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(strings.reduce((made, part, i) => made + rendered(values[i - 1]) + part));
  }
}

/** The values of a template. Lists are joined; null, undefined and false add no text. */
export type HtmlValue = Html | string | number | bigint | null | undefined | false | readonly HtmlValue[];

/** Attributes need double quotes: `html\`<a href="${path}">${name}</a>\``. */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => Html.of(strings, values);

/** A place that is filled when the whole page is complete. Its key is a word of letters, digits, dots and dashes. */
export const slot = (name: string, key: string): Html => html`<!--${name} ${key}-->`;

// Text never has one: its `<` is escaped.
const slotsNamed = (name: string): RegExp => new RegExp(`<!--${name} ([\\w.-]*)-->`, 'g');

function rendered(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'object') return value.map(rendered).join('');
  return String(value);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/**
 * Controls but for tab and line feed, characters that change the direction of text, and characters without width: each
 * could make text look like another. The selector for coloured emoji is harmless.
 */
const DECEIVING =
  /(?![\t\n]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"'`]/g, character => ENTITIES[character] ?? '')
    .replace(DECEIVING, shownAsCode);

/** `‹U+202E›` */
const shownAsCode = (character: string): string =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
