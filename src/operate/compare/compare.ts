import { type Entry, type OpenApiDocument, operationsOf } from '../../api/http/openapi/document.ts';
import { AppError } from '../../base/lib/app-error.ts';
import { isJsonObject } from '../../base/lib/json.ts';
import type { Difference } from './differences.ts';
import { Finds } from './finds.ts';
import { type Question, questionOf, type Random, variantsOf } from './questions.ts';
import { type Ask, type ComparedResponse, readServerTip, ServerAway, type ServerTip } from './server.ts';
import { fromTheWeb, isSettled, NOT_COMPARED, type Rules } from './tolerances.ts';
import { type Verdict, verdictOn } from './verdict.ts';

export interface CompareOptions {
  /** This index. */
  readonly ours: Ask;
  /** Another server of the same chain. */
  readonly theirs: Ask;
  /** Parts of names or paths of routes; empty for all that can be compared. */
  readonly routes: readonly string[];
  /** Questions for each route. */
  readonly samples: number;
  readonly random: Random;
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/** A question that the two servers answer differently, and where. */
export interface DifferingRequest {
  readonly path: string;
  readonly differences: readonly Difference[];
}

/** What came of the questions of a route. */
export interface RouteReport {
  readonly route: string;
  /** Questions with equal responses. */
  equal: number;
  /** Of these, how many both servers refused: an id of another kind, a page that is not there. */
  refused: number;
  /** Of these, how many are equal but for what is expected to differ, by reason. */
  readonly tolerated: Map<string, number>;
  /** Unequal, but the tips differed: proves nothing. */
  undecided: number;
  readonly findings: DifferingRequest[];
  /** Whether this index had a response to a question. */
  isAnswered: boolean;
  /** Why it was not compared. */
  omitted: string | undefined;
}

export interface Comparison {
  readonly tips: { readonly ours: ServerTip; readonly theirs: ServerTip };
  readonly routes: readonly RouteReport[];
}

/** Routes to compare that this API does not have. */
export class UnknownRoutes extends AppError {
  override readonly name = 'UnknownRoutes';
  override readonly kind = 'caller';
}

/** Enough for the ids of deep routes, such as the signers of a cycle, to be named by others. */
const ROUNDS = 4;
/** How often a question is repeated while the tips differ. */
const ATTEMPTS = 3;

/**
 * Sends the same requests to two servers, about what both have, and collects the differences. The first requests are of routes
 * without an id; later ones take their ids from the responses.
 * @throws ServerAway, UnknownRoutes
 */
export async function compareServers(options: CompareOptions): Promise<Comparison> {
  const { ours, theirs, samples, random, onProgress, signal } = options;
  const all = operationsOf(await documentOf(ours)).filter(({ method }) => method === 'get');
  const unknown = options.routes.filter(part => !all.some(entry => isNamed(entry, part)));
  if (unknown.length > 0) throw new UnknownRoutes(`no route has ${unknown.join(' or ')} in its name or path`);
  const tips = {
    ours: await readServerTip(ours, 'this index'),
    theirs: await readServerTip(theirs, 'the other server'),
  };
  const servers: Servers = { ours, theirs, rules: { strict: tips.theirs.version.startsWith('stacks-index') } };
  const finds = new Finds({
    block: Math.min(tips.ours.height, tips.theirs.height),
    burn: Math.min(tips.ours.burnHeight, tips.theirs.burnHeight),
  });
  const reports = reportsOf(all, options.routes);
  const entries = all.filter(entry => isComparable(entry) || reports.has(entry.operation.operationId));
  const asked = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, entry] of entries.entries()) {
      const report = reports.get(entry.operation.operationId);
      // A route that is not compared may name ids of those that are.
      const times = report === undefined ? 1 : shareOf(samples, round);
      for (let n = 0; n < times && report?.omitted === undefined; n++) {
        signal?.throwIfAborted();
        const question = questionOf(entry, finds, random);
        if (question === undefined || asked.has(question.path)) continue;
        asked.add(question.path);
        const isFirst = await ask(question, servers, finds, report);
        if (!isFirst) continue;
        for (const variant of variantsOf(entry, question)) {
          if (asked.has(variant.path) || report?.omitted !== undefined) continue;
          asked.add(variant.path);
          await ask(variant, servers, finds, report);
        }
      }
      onProgress?.(round * entries.length + i + 1, ROUNDS * entries.length);
    }
  }
  for (const report of reports.values())
    if (requestCount(report) === 0) report.omitted ??= 'no values were found for its parameters';
  return { tips, routes: [...reports.values()] };
}

interface Servers {
  readonly ours: Ask;
  readonly theirs: Ask;
  readonly rules: Rules;
}

/** How many of the samples are requested in a round. */
const shareOf = (samples: number, round: number): number =>
  Math.ceil((samples * (round + 1)) / ROUNDS) - Math.ceil((samples * round) / ROUNDS);

/** Whether a route is about the chain, and so may name ids. */
const isComparable = ({ path, operation }: Entry): boolean =>
  NOT_COMPARED[operation.operationId] === undefined && !fromTheWeb(path);

const isNamed = ({ path, operation }: Entry, part: string): boolean =>
  operation.operationId.includes(part) || path.includes(part);

/** An empty report for each compared route. */
function reportsOf(entries: readonly Entry[], routes: readonly string[]): Map<string, RouteReport> {
  const isWanted = (entry: Entry) => routes.length === 0 || routes.some(part => isNamed(entry, part));
  return new Map(
    entries.filter(isWanted).map(({ path, operation: { operationId } }) => {
      const web = fromTheWeb(path) && routes.length === 0 ? 'what the web said; name it to compare it' : undefined;
      const omitted = NOT_COMPARED[operationId] ?? web;
      return [
        operationId,
        {
          route: operationId,
          equal: 0,
          refused: 0,
          tolerated: new Map(),
          undecided: 0,
          findings: [],
          isAnswered: false,
          omitted,
        },
      ];
    }),
  );
}

/**
 * Puts a question to both servers, and takes in what their responses name.
 * @returns whether it is the first of its route that this index answers
 */
async function ask(
  question: Question,
  servers: Servers,
  finds: Finds,
  report: RouteReport | undefined,
): Promise<boolean> {
  const { operationId, path, asked } = question;
  const [mine, other] = await both(path, servers);
  for (const { status, body } of [mine, other]) if (status === 200) finds.add(operationId, body, asked);
  if (report === undefined) return false;
  if (isNoRoute(other) && !isNoRoute(mine)) {
    report.omitted = 'the other server does not have it';
    return false;
  }
  const isFirst = mine.status === 200 && !report.isAnswered;
  report.isAnswered ||= isFirst;
  const verdict = verdictOn({ operationId, path, ours: mine, theirs: other }, servers.rules);
  count(verdict.differences.length === 0 ? verdict : await verdictAtOneTip(question, servers), path, report);
  return isFirst;
}

const both = (path: string, { ours, theirs }: Servers): Promise<[ComparedResponse, ComparedResponse]> =>
  Promise.all([ours(path), theirs(path)]);

/**
 * Sends a request again. Responses about the settled past count at any tip, others only at the same one.
 * @returns undefined without such a response
 */
async function verdictAtOneTip({ operationId, path }: Question, servers: Servers): Promise<Verdict | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await tipsOf(servers);
    const [mine, other] = await both(path, servers);
    const verdict = verdictOn({ operationId, path, ours: mine, theirs: other }, servers.rules);
    if (verdict.differences.length === 0 || isSettled(operationId, mine, other)) return verdict;
    const after = await tipsOf(servers);
    if (new Set([...before, ...after]).size === 1) return verdict;
  }
  return undefined;
}

async function tipsOf({ ours, theirs }: Servers): Promise<string[]> {
  const [mine, other] = await Promise.all([
    readServerTip(ours, 'this index'),
    readServerTip(theirs, 'the other server'),
  ]);
  return [mine.block, other.block];
}

function count(verdict: Verdict | undefined, path: string, report: RouteReport): void {
  if (verdict === undefined) report.undecided++;
  else if (verdict.differences.length > 0) report.findings.push({ path, differences: verdict.differences });
  else {
    report.equal++;
    if (verdict.refused) report.refused++;
    for (const why of verdict.tolerated) report.tolerated.set(why, (report.tolerated.get(why) ?? 0) + 1);
  }
}

/** Number of compared requests of a route. */
export const requestCount = ({ equal, undecided, findings }: RouteReport): number =>
  equal + undecided + findings.length;

/** Whether a response shows that the server has no such route. */
const isNoRoute = ({ status, body }: ComparedResponse): boolean =>
  status === 404 && isJsonObject(body) && /^Route .+ not found$/.test(String(body.message ?? ''));

async function documentOf(ours: Ask): Promise<OpenApiDocument> {
  const { status, body } = await ours('/openapi.json');
  if (status !== 200 || !isJsonObject(body)) throw new ServerAway('this index does not show its /openapi.json');
  return body as unknown as OpenApiDocument; // it is this program's own
}
