/** Positions [from, to) in the list of all transactions. Of several each begins after the end of the one before. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const lengthOf = ({ from, to }: Span): number => to - from;

export const totalLength = (spans: readonly Span[]): number => spans.reduce((total, span) => total + lengthOf(span), 0);

/** The same positions in as few spans as they need. @param spans ascending; none overlaps another */
export function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    if (span.from >= span.to) continue;
    const last = result.at(-1);
    if (last?.to === span.from) result.splice(-1, 1, { from: last.from, to: span.to });
    else result.push(span);
  }
  return result;
}

/** The positions of some spans that others do not have. */
export function without(spans: readonly Span[], others: readonly Span[]): Span[] {
  return joined(spans.flatMap(span => outside(span, others)));
}

function outside({ from, to }: Span, others: readonly Span[]): Span[] {
  const result: Span[] = [];
  let next = from;
  for (const other of others) {
    if (other.to <= next || other.from >= to) continue;
    result.push({ from: next, to: other.from });
    next = other.to;
  }
  return [...result, { from: next, to }];
}
