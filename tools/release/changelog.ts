/** CHANGELOG.md as a release reads and changes it. */
import type { Release } from './releases.ts';

/** What one version changed. */
export interface Section {
  /** `Unreleased`, or three numbers. */
  readonly version: string;
  /** `YYYY-MM-DD`; undefined for what is not released. */
  readonly date: string | undefined;
  readonly text: string;
}

const HEADING = /^## \[(?<version>[^\]]+)\](?: - (?<date>\d{4}-\d\d-\d\d))?$/gm;
const UNRELEASED = '## [Unreleased]\n';

/** The sections, the newest first. */
export function sectionsOf(changelog: string): readonly Section[] {
  const headings = [...changelog.matchAll(HEADING)];
  return headings.map(({ index, 0: heading, groups }, i) => ({
    version: groups?.version ?? '',
    date: groups?.date,
    text: changelog.slice(index + heading.length, headings[i + 1]?.index).trim(),
  }));
}

/** The first line of a version whose index has another schema number than that of the release before. */
export const schemaLine = (schema: number, before: Release): string =>
  `Needs a new index: schema number ${schema}, that of ${before.version} is ${before.schema}.`;

/**
 * What hinders a release.
 * @param schema the number of this checkout
 * @param last the release before
 */
export function changelogProblems(changelog: string, schema: number, last: Release): readonly string[] {
  const [unreleased, newest] = sectionsOf(changelog);
  if (unreleased?.version !== 'Unreleased') return ['CHANGELOG.md does not begin with [Unreleased]'];
  const problems: string[] = [];
  if (newest?.version !== last.version || newest.date !== last.date)
    problems.push(`CHANGELOG.md: the section below [Unreleased] must be [${last.version}] - ${last.date}`);
  if (!/^- /m.test(unreleased.text)) problems.push('CHANGELOG.md: [Unreleased] has no entry');
  const stated = /^Needs a new index: .*$/m.exec(unreleased.text)?.[0];
  const expected = schema === last.schema ? undefined : schemaLine(schema, last);
  if (stated !== expected)
    problems.push(
      expected === undefined
        ? `CHANGELOG.md: [Unreleased] must not begin with "${stated}": the schema number is that of ${last.version}`
        : `CHANGELOG.md: [Unreleased] must begin with "${expected}"`,
    );
  return problems;
}

/** Makes [Unreleased] the section of a version, below an empty [Unreleased]. */
export const releaseChangelog = (changelog: string, version: string, date: string): string =>
  changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${version}] - ${date}\n`);
