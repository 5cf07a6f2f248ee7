/** The links in the pages of the npm package: to what it contains, or to the repository. */
import { dirname, normalize } from 'node:path';

/** A link of a page to a file of the repository. */
export interface PageLink {
  /** As it stands in the page. */
  readonly target: string;
  /** From the root of the repository, without a heading; that of the page itself for a link to a heading of it. */
  readonly file: string;
}

const LINK = /\]\((?<target>[^)\s]+)\)/g;

/** Whether a link leads to another place than a file of the repository. */
const isExternal = (target: string): boolean => /^[a-z]+:/.test(target);

const fileOf = (page: string, target: string): string => {
  const [path = ''] = target.split('#');
  return path === '' ? page : normalize(`${dirname(page)}/${path}`).replace(/\/$/, '');
};

/** @param page its path from the root */
export const linksOf = (page: string, markdown: string): readonly PageLink[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(LINK)]
    .map(({ groups }) => groups?.target ?? '')
    .filter(target => !isExternal(target))
    .map(target => ({ target, file: fileOf(page, target) }));

/**
 * Makes links to what the package lacks links to the repository.
 * @param isPacked whether the package has a file or folder
 * @param at the address of a file of the repository, at the commit of the package
 */
export const withOutsideLinks = (
  page: string,
  markdown: string,
  isPacked: (file: string) => boolean,
  at: (file: string) => string,
): string =>
  markdown.replaceAll(LINK, (link, target: string) => {
    if (isExternal(target)) return link;
    const file = fileOf(page, target);
    if (isPacked(file)) return link;
    const heading = target.includes('#') ? target.slice(target.indexOf('#')) : '';
    return `](${at(file)}${heading})`;
  });
