import { type Html, type HtmlValue, html } from '../html.ts';

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T, place: number) => HtmlValue;
  /** Amounts and counts are aligned to the right. */
  readonly numeric?: boolean;
}

/** A table; its cells carry their heads, which phones show beside them. @param none text for a table without rows */
export function dataTable<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[], none: string): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  return html`<table class="list"><caption>${caption}</caption>
<thead><tr>${columns.map(({ head, numeric }) => html`<th scope="col"${numeric ? NUMBER : ''}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row, place) =>
      html`<tr>${columns.map(
        ({ head, numeric, cell }) => html`<td data-head="${head}"${numeric ? NUMBER : ''}>${cell(row, place)}</td>`,
      )}</tr>
`,
  )}</tbody></table>`;
}

const NUMBER = html` class="number"`;

/** Names and values, for the details of one thing; those without a value are left out. */
export const facts = (rows: readonly (readonly [name: string, value: HtmlValue])[]): Html =>
  html`<dl class="facts">${rows
    .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** The heading of a page: the kind of the entity, and its id in full. */
export const heading = (kind: string, name: HtmlValue, below?: HtmlValue): Html =>
  html`<h1><small>${kind}</small> ${name}</h1>${below && html`<p class="below">${below}</p>`}`;

/** A part of a page with its heading. @param live the name by which the live stream replaces it */
export const section = (title: string, body: HtmlValue, live?: string): Html =>
  live === undefined
    ? html`<section><h2>${title}</h2>${body}</section>`
    : html`<section data-part="${live}"><h2>${title}</h2>${body}</section>`;
