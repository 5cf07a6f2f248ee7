/** Tables, headings, and the links between the pages of a list. */
import type * as Api from '../../routes/records.ts';
import { grouped } from '../format/amounts.ts';
import { query } from '../format/links.ts';
import { type Html, type HtmlValue, html } from '../html.ts';

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T, place: number) => HtmlValue;
  /** Amounts and counts are aligned to the right. */
  readonly numeric?: boolean;
  /** Whether its link is the one that the keyboard opens for a row; by default the first link. */
  readonly isMain?: boolean;
  /** Whether phones leave it out, so that a row has two lines; the page of the entity has it. */
  readonly isMinor?: boolean;
}

/**
 * A table; its cells carry their heads, which phones show beside them.
 * @param none text for a table without rows
 * @param kind a `narrow` one has few, short columns, so that phones show it as a table
 */
export function dataTable<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  none: string,
  kind: 'list' | 'narrow' = 'list',
): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  return html`<table class="${kind}"><caption>${caption}</caption>
<thead><tr>${columns.map(column => html`<th scope="col"${classOf(column)}>${column.head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row, place) =>
      html`<tr>${columns.map(
        column => html`<td data-head="${column.head}"${classOf(column)}>${column.cell(row, place)}</td>`,
      )}</tr>
`,
  )}</tbody></table>`;
}

function classOf({ numeric, isMain, isMinor }: Omit<Column<never>, 'cell'>): Html | false {
  const classes = [numeric && 'number', isMain && 'main', isMinor && 'minor'].filter(Boolean);
  return classes.length > 0 && html` class="${classes.join(' ')}"`;
}

/** The most important facts, as a strip; those without a value are left out. */
export const summary = (rows: readonly (readonly [name: HtmlValue, value: HtmlValue])[]): Html =>
  html`<dl class="summary">${given(rows).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Names and values, for the details of one thing; those without a value are left out. */
export const facts = (rows: readonly (readonly [name: HtmlValue, value: HtmlValue])[]): Html =>
  html`<dl class="facts">${given(rows).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

const given = <Row extends readonly [HtmlValue, HtmlValue]>(rows: readonly Row[]): readonly Row[] =>
  rows.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');

/** The heading of a page: the kind of the entity, and its id in full. */
export const heading = (kind: string, name: HtmlValue, below?: HtmlValue): Html =>
  html`<h1><small>${kind}</small> ${name}</h1>${below && html`<p class="below">${below}</p>`}`;

/** Links to the parts of a page, or to the orders of a list, one of them open. @param name for screen readers */
export const tabs = (
  name: string,
  links: readonly { readonly text: string; readonly path: string; readonly isCurrent: boolean }[],
): Html =>
  html`<nav class="tabs" aria-label="${name}">${links.map(
    ({ text, path, isCurrent }) => html`<a${isCurrent && html` aria-current="page"`} href="${path}">${text}</a>`,
  )}</nav>`;

/** A part of a page with its heading. @param live the name by which the live stream replaces it */
export const section = (title: string, body: HtmlValue, live?: string): Html =>
  live === undefined
    ? html`<section><h2>${title}</h2>${body}</section>`
    : html`<section data-part="${live}"><h2>${title}</h2>${body}</section>`;

/** The place of a page in a list. */
export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/** Largest number of a page: higher ones have offsets that the API may refuse. */
const MOST_PAGES = 100_000;

/** The place that `?page=` names; the first page for an invalid number. @param limit rows a page */
export function pageRangeOf(page: string | undefined, limit: number): PageRange {
  const number = /^\d{1,6}$/.test(page ?? '') ? Math.min(Math.max(Number(page), 1), MOST_PAGES) : 1;
  return { limit, offset: (number - 1) * limit };
}

/** Links to other pages of a list; nothing for a list of one page. @param path of the list below `/explorer/`  @param kept of its query */
export function pager(
  { limit, offset }: PageRange,
  total: number,
  path: string,
  kept: Readonly<Record<string, string | undefined>> = {},
): Html | undefined {
  const last = Math.max(1, Math.ceil(total / limit));
  const current = Math.floor(offset / limit) + 1;
  if (last === 1 && current === 1) return undefined;
  const link = (page: number, text: string, rel?: string): Html | false =>
    page >= 1 &&
    page <= last &&
    page !== current &&
    html`<a href="${path}${query({ ...kept, page: page === 1 ? undefined : page })}"${rel ? html` rel="${rel}"` : ''}>${text}</a>`;
  return html`<nav class="pager" aria-label="Pages">${link(1, 'First')} ${link(current - 1, 'Previous', 'prev')}
<span>Page ${grouped(current)} of ${grouped(last)} <small>(${grouped(total)} in all)</small></span>
${link(current + 1, 'Next', 'next')} ${link(last, 'Last')}</nav>`;
}

/** Links within a list that has cursors and no numbered pages. */
export function cursorPager(
  { total, cursor, results }: Api.PageByCursor<unknown>,
  path: string,
  kept: Readonly<Record<string, string | undefined>> = {},
): Html | undefined {
  if (cursor.previous === null && cursor.next === null) return undefined;
  const link = (to: string | null, text: string, rel: string): Html | false =>
    to !== null && html`<a href="${path}${query({ ...kept, cursor: to })}" rel="${rel}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages">${cursor.previous !== null && html`<a href="${path}${query(kept)}">First</a>`} ${link(cursor.previous, 'Previous', 'prev')}
<span>${grouped(results.length)} of ${grouped(total)}</span> ${link(cursor.next, 'Next', 'next')}</nav>`;
}
