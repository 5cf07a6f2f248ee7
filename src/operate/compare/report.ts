import type { Comparison } from './compare.ts';
import { SPANS } from './finds.ts';
import { type RouteReport, requestCount, shown } from './route-report.ts';

/** Names for the last sentence. */
interface ReportOptions {
  /** The URL of the other server. */
  readonly server: string;
  /** The file that keeps the progress. */
  readonly state: string | undefined;
}

/**
 * The report of a comparison: a line for each route, and for differing responses the request and the places. The last line states the conclusion, and what to
 * do next.
 */
export function reportOf(comparison: Comparison, options: ReportOptions): string {
  const { tips, routes, spans, isFinished } = comparison;
  const compared = routes.filter(report => report.omitted === undefined && (isFinished || requestCount(report) > 0));
  const omitted = routes.flatMap(({ route, omitted }) => (omitted === undefined ? [] : [`  ${route}: ${omitted}`]));
  return [
    `this index at ${tips.ours.height}, the other server (${shown(tips.theirs.version)}) at ${tips.theirs.height}`,
    ...compared.flatMap(linesOf),
    ...(omitted.length > 0 ? ['not compared:', ...omitted] : []),
    summaryOf(compared, spans),
    isFinished ? conclusionOf(compared, options) : stopOf(compared, options),
    '',
  ].join('\n');
}

/** Number of requests whose responses differ. */
export const differingRequests = ({ routes }: Pick<Comparison, 'routes'>): number =>
  sum(routes, each => each.differing);

function linesOf(report: RouteReport): string[] {
  const { route, equal, refused, undecided, differing, findings, tolerated } = report;
  const notes = [
    ...(refused > 0 ? [`${refused} refused by both`] : []),
    ...(undecided > 0 ? [`${undecided} undecided, as the tips differ`] : []),
    ...Object.entries(tolerated).map(([why, times]) => `${times} with: ${why}`),
  ];
  const head = `${differing === 0 ? 'ok  ' : 'DIFF'} ${route}: ${equal} of ${requestCount(report)} equal`;
  return [notes.length > 0 ? `${head} (${notes.join('; ')})` : head, ...findings.flatMap(textOf)];
}

const textOf = ({ path, differences, more }: RouteReport['findings'][number]): string[] => [
  `       ${path}`,
  ...differences.map(({ at, ours, theirs }) => `         ${at}: ${ours} here, ${theirs} there`),
  ...(more > 0 ? [`         and ${more} more`] : []),
];

const sum = (reports: readonly RouteReport[], of: (report: RouteReport) => number): number =>
  reports.reduce((total, report) => total + of(report), 0);

function summaryOf(compared: readonly RouteReport[], spans: number): string {
  const [equal, undecided] = [sum(compared, each => each.equal), sum(compared, each => each.undecided)];
  const counts = `${equal} equal, ${sum(compared, each => each.differing)} differ, ${undecided} undecided`;
  return `${compared.length} routes, ${sum(compared, requestCount)} requests, about ${spans} of ${SPANS} equal spans of heights: ${counts}`;
}

/** The sentence at the end of a whole comparison. */
function conclusionOf(compared: readonly RouteReport[], { server }: ReportOptions): string {
  const named = (reports: readonly RouteReport[]) => reports.map(({ route }) => route).join(',');
  const again = (reports: readonly RouteReport[]) => `stacks-index compare --with ${server} --routes ${named(reports)}`;
  const differing = compared.filter(report => report.differing > 0);
  if (differing.length > 0)
    return `Different: ${differing.length} of ${compared.length} routes. Run \`stacks-index verify\`: if it finds damage, this index is wrong, and \`stacks-index reindex\` rebuilds it. If it finds none, repeat these routes with \`${again(differing)}\`, and report the requests above that still differ.`;
  const undecided = compared.filter(report => report.undecided > 0);
  if (undecided.length > 0)
    return `No difference was found, but ${sum(undecided, each => each.undecided)} requests could not be decided, because the tips differed. Run \`${again(undecided)}\` once both servers are at the same block.`;
  if (sum(compared, each => each.equal) === 0) return 'Nothing was compared: choose other --routes, or more --samples.';
  return `This index answers as ${server} does in every request that was compared. Nothing needs to be done.`;
}

/** The sentence at the end of a comparison that was stopped. */
function stopOf(compared: readonly RouteReport[], { state }: ReportOptions): string {
  const next =
    state === undefined
      ? 'Without --state a new run starts over'
      : `Run the same command again to continue from ${state}`;
  return `Stopped after ${sum(compared, requestCount)} requests. ${next}.`;
}
