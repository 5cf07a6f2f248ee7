import { html } from '../html.ts';
import type { PageRenderer } from '../page.ts';
import { heading, section } from '../parts/lists.ts';
import { REJECTION_HELP, STATUS_HELP, TERM_HELP } from '../words/help.ts';

/** Explains statuses, errors and terms. */
export const helpPage: PageRenderer = async () => ({
  title: 'Help',
  body: html`${heading('Stacks', 'Help')}
${section('Status of a transaction', entries(STATUS_HELP))}
${section('Errors when a node or a wallet refuses a transaction', entries(REJECTION_HELP))}
${section('Terms', entries(TERM_HELP))}`,
});

const entries = (all: typeof STATUS_HELP) =>
  html`<dl class="help">${all.map(
    ({ id, title, text }) =>
      html`<div id="${id}"><dt>${title}${title !== id && /_/.test(id) && html` <code>${id}</code>`}</dt><dd>${text}</dd></div>`,
  )}</dl>`;
