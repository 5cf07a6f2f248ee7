import { fullId, pathTo, shortPrincipal } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { heading } from './table.ts';

/** The heading of every page about a contract. */
export const contractHead = (id: string): Html =>
  heading('Contract', html`<bdi>${shortPrincipal(id)}</bdi>`, fullId(id));

const TABS = [
  ['overview', 'Overview'],
  ['source', 'Source'],
  ['calls', 'Calls'],
  ['events', 'Events'],
] as const;

/** Its parts, one of them open. */
export const contractTabs = (id: string, current: (typeof TABS)[number][0]): Html =>
  html`<nav class="tabs" aria-label="Parts of the contract">${TABS.map(
    ([part, name]) =>
      html`<a${part === current && html` aria-current="page"`} href="${pathTo('contract', id, ...(part === 'overview' ? [] : [part]))}">${name}</a>`,
  )}</nav>`;
