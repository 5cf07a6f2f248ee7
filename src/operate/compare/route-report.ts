import type { JsonValue } from '../../base/lib/json.ts';
import type { Verdict } from './verdict.ts';

/** A place where two responses differ, as text. */
interface ShownDifference {
  readonly at: string;
  readonly ours: string;
  readonly theirs: string;
}

/** A request with different responses, and the first places that differ. */
interface DifferingRequest {
  readonly path: string;
  readonly differences: readonly ShownDifference[];
  /** Number of further places. */
  readonly more: number;
}

/** The results of the requests of a route. Plain data, of bounded size. */
export interface RouteReport {
  readonly route: string;
  /** Requests with equal responses. */
  equal: number;
  /** Number of these that both servers refused: an id of another kind, a missing page. */
  refused: number;
  /** Number of these with expected differences only, by reason. */
  readonly tolerated: Record<string, number>;
  /** Number of unequal responses at different tips, which prove nothing. */
  undecided: number;
  /** Requests with responses that differ. */
  differing: number;
  /** The first of these. */
  readonly findings: DifferingRequest[];
  /** Whether this index had a response to a request. */
  isAnswered: boolean;
  /** Why the route was not compared. */
  omitted: string | undefined;
}

const MAX_FINDINGS = 5;
const MAX_DIFFERENCES = 3;
const MAX_CHARACTERS = 120;

export const emptyReport = (route: string, omitted: string | undefined): RouteReport => ({
  route,
  equal: 0,
  refused: 0,
  tolerated: {},
  undecided: 0,
  differing: 0,
  findings: [],
  isAnswered: false,
  omitted,
});

/** Adds the result of a request. @param verdict undefined if the responses differed, and so did the tips each time */
export function addVerdict(report: RouteReport, path: string, verdict: Verdict | undefined): void {
  if (verdict === undefined) report.undecided++;
  else if (verdict.differences.length > 0) {
    report.differing++;
    if (report.findings.length < MAX_FINDINGS) report.findings.push(findingOf(path, verdict));
  } else {
    report.equal++;
    if (verdict.refused) report.refused++;
    for (const why of verdict.tolerated) report.tolerated[why] = (report.tolerated[why] ?? 0) + 1;
  }
}

const findingOf = (path: string, { differences }: Verdict): DifferingRequest => ({
  path,
  differences: differences.slice(0, MAX_DIFFERENCES).map(({ at, ours, theirs }) => ({
    at: shown(at) || 'the response',
    ours: textOf(ours),
    theirs: textOf(theirs),
  })),
  more: Math.max(0, differences.length - MAX_DIFFERENCES),
});

/** Number of compared requests of a route. */
export const requestCount = ({ equal, undecided, differing }: RouteReport): number => equal + undecided + differing;

const textOf = (json: JsonValue | undefined): string => (json === undefined ? 'nothing' : shown(JSON.stringify(json)));

/** Limits a text of the other server: no control characters, bounded length. */
export const shown = (text: string): string => {
  const clean = text.replaceAll(/\p{Cc}/gu, ' ');
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}...` : clean;
};
