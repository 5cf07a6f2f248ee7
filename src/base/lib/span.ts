/** Consecutive numbers, such as positions in a list: [from, to), so that `to` is the first after them. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const lengthOf = ({ from, to }: Span): number => to - from;

export const isInSpan = (number: number, { from, to }: Span): boolean => number >= from && number < to;
