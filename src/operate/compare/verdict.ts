import { type Difference, differencesOf } from './differences.ts';
import type { ComparedResponse } from './server.ts';
import { type ComparedExchange, comparable, type DifferingPart, type Rules, toleranceOf } from './tolerances.ts';

/** The result of comparing two responses to one request. */
export interface Verdict {
  /** Unexpected differences. */
  readonly differences: readonly Difference[];
  /** Why other differences are expected. */
  readonly tolerated: readonly string[];
  /** Neither server has the requested record. */
  readonly refused?: true;
}

/** Compares status, headers and bodies; not the bodies of errors, whose texts may differ. */
export function verdictOn(exchange: ComparedExchange, rules: Rules): Verdict {
  const { operationId, ours, theirs } = exchange;
  if (ours.status !== theirs.status) {
    const difference = { at: 'status', ours: ours.status, theirs: theirs.status };
    return judged([{ difference, part: { status: true } }], exchange, rules);
  }
  const refused = ours.status >= 400;
  const body = refused ? [] : differencesOf(...comparable(operationId, ours.body, theirs.body));
  const found = [
    ...headerDifferences(ours, theirs).map(({ header, ...difference }) => ({ difference, part: { header } })),
    ...body.map(difference => ({ difference, part: { at: difference.at } })),
  ];
  return { ...judged(found, exchange, rules), ...(refused && { refused }) };
}

interface Found {
  readonly difference: Difference;
  readonly part: DifferingPart;
}

function judged(found: readonly Found[], exchange: ComparedExchange, rules: Rules): Verdict {
  const each = found.map(({ difference, part }) => ({
    difference,
    why: toleranceOf(exchange, part, difference, rules),
  }));
  return {
    differences: each.flatMap(({ difference, why }) => (why === undefined ? [difference] : [])),
    tolerated: [...new Set(each.flatMap(({ why }) => why ?? []))],
  };
}

function headerDifferences(ours: ComparedResponse, theirs: ComparedResponse) {
  const names = new Set([...Object.keys(ours.headers), ...Object.keys(theirs.headers)]);
  return [...names].flatMap(header => {
    const [mine, other] = [ours.headers[header], theirs.headers[header]];
    return mine === other ? [] : [{ header, at: `header ${header}`, ours: mine, theirs: other }];
  });
}
