import { type Entry, type OpenApiDocument, operationsOf } from '../../api/http/openapi/document.ts';
import { AppError } from '../../base/lib/app-error.ts';
import { isJsonObject } from '../../base/lib/json.ts';
import { Finds, type Random } from './finds.ts';
import { type Question, questionOf, variantsOf } from './questions.ts';
import { addVerdict, emptyReport, type RouteReport, requestCount } from './route-report.ts';
import type { SavedComparison } from './saved-comparison.ts';
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
  /** Requests for each route. */
  readonly samples: number;
  readonly random: Random;
  readonly onProgress?: (done: number, of: number) => void;
  /** Aborting it ends the comparison early, without an error. */
  readonly signal?: AbortSignal;
  /** Progress that an earlier run has saved: the comparison continues there. */
  readonly saved?: SavedComparison | undefined;
  /** Called after each route of a round, and when the comparison ends, for whatever reason. */
  readonly save?: (saved: SavedComparison) => Promise<void>;
}

export interface Comparison {
  readonly tips: { readonly ours: ServerTip; readonly theirs: ServerTip };
  readonly routes: readonly RouteReport[];
  /** Number of the equal spans of heights (`SPANS`) that requests have covered. */
  readonly spans: number;
  /** False if it was stopped. */
  readonly isFinished: boolean;
}

/** Routes to compare that this API does not have. */
export class UnknownRoutes extends AppError {
  override readonly name = 'UnknownRoutes';
  override readonly kind = 'caller';
}

/** Enough rounds for responses to name the ids of deep routes, such as the signers of a cycle. */
const ROUNDS = 4;
/** How often a question is repeated while the tips differ. */
const ATTEMPTS = 3;

/**
 * Sends the same requests to two servers, about records that both have, and collects the differences. The first requests are for
 * routes without an id, and for blocks at heights all over the chain; later ones take their ids from the responses.
 * @throws ServerAway, UnknownRoutes
 */
export async function compareServers(options: CompareOptions): Promise<Comparison> {
  const { ours, theirs, samples, random, onProgress, signal, saved, save } = options;
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
  const sent = new Set<string>(saved?.sent);
  const spans = new Set<number>(saved?.spans);
  for (const report of saved?.reports ?? []) if (reports.has(report.route)) reports.set(report.route, { ...report });
  if (saved) finds.restore(saved.finds);
  else finds.seed(random);

  /** Sends a request of a route, and variants of the first one that this index answers. */
  const sample = async (entry: Entry, report: RouteReport | undefined) => {
    const question = questionOf(entry, finds, random);
    if (question === undefined || sent.has(question.path)) return;
    const isFirst = await ask(question, servers, finds, report);
    sent.add(question.path);
    if (report !== undefined && question.span !== undefined) spans.add(question.span);
    for (const variant of isFirst ? variantsOf(entry, question) : []) {
      if (sent.has(variant.path) || report?.omitted !== undefined) continue;
      await ask(variant, servers, finds, report);
      sent.add(variant.path);
    }
  };

  const steps = Array.from({ length: ROUNDS }, (_, round) => entries.map(entry => ({ round, entry }))).flat();
  const resumed = steps.findIndex(
    ({ round, entry }) => round === saved?.next?.round && entry.operation.operationId === saved.next.route,
  );
  let step = saved === undefined ? 0 : saved.next === undefined ? steps.length : Math.max(resumed, 0);
  let done = saved?.next?.samples ?? 0;
  const state = (): SavedComparison => {
    const next = steps[step];
    return {
      next: next && { round: next.round, route: next.entry.operation.operationId, samples: done },
      sent: [...sent],
      spans: [...spans],
      reports: [...reports.values()],
      finds: finds.save(),
    };
  };
  try {
    for (; step < steps.length; step++, done = 0) {
      const { round, entry } = steps[step] as (typeof steps)[number];
      const report = reports.get(entry.operation.operationId);
      // Responses of a route that is not compared may name ids for compared routes.
      const times = report === undefined ? 1 : shareOf(samples, round);
      for (; done < times && report?.omitted === undefined; done++) {
        if (signal?.aborted) break;
        await sample(entry, report);
      }
      if (signal?.aborted) break;
      onProgress?.(step + 1, steps.length);
      // A route that is not compared has sent the other server nothing that a repetition would send again.
      if (report !== undefined) await save?.(state());
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    await save?.(state());
  }
  const isFinished = step === steps.length;
  for (const report of reports.values())
    if (isFinished && requestCount(report) === 0) report.omitted ??= 'no values were found for its parameters';
  return { tips, routes: [...reports.values()], spans: spans.size, isFinished };
}

interface Servers {
  readonly ours: Ask;
  readonly theirs: Ask;
  readonly rules: Rules;
}

/** Number of samples to request in a round. */
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
      return [operationId, emptyReport(operationId, omitted)];
    }),
  );
}

/**
 * Sends a request to both servers and collects the ids in the responses. A request of a route that is not compared goes to this index alone.
 * @returns whether it is the first of its route that this index answers
 */
async function ask(
  question: Question,
  servers: Servers,
  finds: Finds,
  report: RouteReport | undefined,
): Promise<boolean> {
  const { operationId, path, asked } = question;
  // Such a response only supplies ids, so the other server need not make it.
  const [mine, other] = report === undefined ? [await servers.ours(path)] : await both(path, servers);
  for (const response of [mine, other]) if (response?.status === 200) finds.add(operationId, response.body, asked);
  if (report === undefined || other === undefined) return false;
  if (isNoRoute(other) && !isNoRoute(mine)) {
    report.omitted = 'the other server does not have it';
    return false;
  }
  const isFirst = mine.status === 200 && !report.isAnswered;
  report.isAnswered ||= isFirst;
  const verdict = verdictOn({ operationId, path, ours: mine, theirs: other }, servers.rules);
  addVerdict(report, path, verdict.differences.length === 0 ? verdict : await verdictAtOneTip(question, servers));
  return isFirst;
}

const both = (path: string, { ours, theirs }: Servers): Promise<[ComparedResponse, ComparedResponse]> =>
  Promise.all([ours(path), theirs(path)]);

/**
 * Repeats a request until the responses can be compared: about the settled past at any tip, else only at the same tip.
 * @returns undefined if no responses can be compared
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

/** Whether a response shows that the server has no such route. */
const isNoRoute = ({ status, body }: ComparedResponse): boolean =>
  status === 404 && isJsonObject(body) && /^Route .+ not found$/.test(String(body.message ?? ''));

async function documentOf(ours: Ask): Promise<OpenApiDocument> {
  const { status, body } = await ours('/openapi.json');
  if (status !== 200 || !isJsonObject(body)) throw new ServerAway('this index does not show its /openapi.json');
  return body as unknown as OpenApiDocument; // this program made it
}
