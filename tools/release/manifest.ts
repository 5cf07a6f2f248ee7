/** What package.json says about the program, as releases and pages need it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** package.json, of this checkout or of another one of this program. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly repository: { readonly type: 'git'; readonly url: string };
}

/** The host of `repository.url` until the owner has filled in the real one: a domain that can belong to no one. */
export const UNKNOWN_HOST = 'git.example.com';

/** @param root the folder of package.json */
export const readManifest = (root: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/**
 * The page of the repository: `git+https://host/owner/name.git` without what only git and npm need.
 * @throws Error for any other form
 */
export function repositoryPage({ repository }: Pick<Manifest, 'repository'>): string {
  const page = /^git\+(https:\/\/[\w.-]+(?:\/[\w.-]+?)+)\.git$/.exec(repository.url)?.[1];
  if (page === undefined)
    throw new Error(`repository.url in package.json must be git+https://HOST/OWNER/NAME.git, not ${repository.url}`);
  return page;
}
