import type { JsonValue } from '../../base/lib/json.ts';
import { type Comparison, type DifferingRequest, type RouteReport, requestCount } from './compare.ts';

const SHOWN_FINDINGS = 5;
const SHOWN_DIFFERENCES = 3;
const SHOWN_CHARACTERS = 120;

/** What came of a comparison, as text: a line a route, and where responses differ the question and the places. */
export function reportOf({ tips, routes }: Comparison): string {
  const compared = routes.filter(report => report.omitted === undefined);
  const omitted = routes.flatMap(({ route, omitted }) => (omitted === undefined ? [] : [`  ${route}: ${omitted}`]));
  return [
    `this index at ${tips.ours.height}, the other server (${shown(tips.theirs.version)}) at ${tips.theirs.height}`,
    ...compared.flatMap(linesOf),
    ...(omitted.length > 0 ? ['not compared:', ...omitted] : []),
    summaryOf(compared),
    '',
  ].join('\n');
}

export const findingsOf = ({ routes }: Comparison): number =>
  routes.reduce((sum, { findings }) => sum + findings.length, 0);

function linesOf(report: RouteReport): string[] {
  const { route, equal, refused, undecided, findings, tolerated } = report;
  const notes = [
    ...(refused > 0 ? [`${refused} refused by both`] : []),
    ...(undecided > 0 ? [`${undecided} undecided, as the tips differ`] : []),
    ...[...tolerated].map(([why, times]) => `${times} with: ${why}`),
  ];
  const head = `${findings.length === 0 ? 'ok  ' : 'DIFF'} ${route}: ${equal} of ${requestCount(report)} equal`;
  return [
    notes.length > 0 ? `${head} (${notes.join('; ')})` : head,
    ...findings.slice(0, SHOWN_FINDINGS).flatMap(textOf),
  ];
}

const textOf = ({ path, differences }: DifferingRequest): string[] => [
  `       ${path}`,
  ...differences
    .slice(0, SHOWN_DIFFERENCES)
    .map(
      ({ at, ours, theirs }) => `         ${shown(at) || 'the response'}: ${value(ours)} here, ${value(theirs)} there`,
    ),
  ...(differences.length > SHOWN_DIFFERENCES ? [`         and ${differences.length - SHOWN_DIFFERENCES} more`] : []),
];

const value = (json: JsonValue | undefined): string => (json === undefined ? 'nothing' : shown(JSON.stringify(json)));

/** The other server chooses these words: no control characters, and not many. */
const shown = (text: string): string => {
  const clean = text.replaceAll(/\p{Cc}/gu, ' ');
  return clean.length > SHOWN_CHARACTERS ? `${clean.slice(0, SHOWN_CHARACTERS)}...` : clean;
};

function summaryOf(compared: readonly RouteReport[]): string {
  const sum = (of: (report: RouteReport) => number) => compared.reduce((total, report) => total + of(report), 0);
  const differing = sum(({ findings }) => findings.length);
  return `${compared.length} routes, ${sum(requestCount)} questions: ${sum(({ equal }) => equal)} equal, ${differing} differ, ${sum(({ undecided }) => undecided)} undecided`;
}
