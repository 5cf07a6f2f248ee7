/** Upper bounds of the buckets, in seconds. */
export const BOUNDS: readonly number[] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Readonly<Record<string, string>>;

/** A histogram as prom-client adds it up and prints it. Plain data, to be sent between processes. */
export interface HistogramValues {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram';
  readonly aggregator: 'sum';
  readonly values: readonly { readonly labels: Labels; readonly value: number; readonly metricName: string }[];
}

interface Series {
  readonly labels: Labels;
  /** Observations of each bucket, not cumulative; the last bucket is above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram of times for Prometheus. Every request and every statement is observed, so an observation is only a look-up and two
 * additions. The histogram of prom-client checks and joins the labels each time, which takes a microsecond.
 */
export class TimeHistogram {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, Series>();

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** @param values of the labels, in their order */
  observe(seconds: number, ...values: readonly string[]): void {
    const key = values.length === 1 ? (values[0] ?? '') : values.join(' ');
    const series = this.#series.get(key) ?? this.#open(key, values);
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? 0)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += seconds;
  }

  values(): HistogramValues {
    const values = [...this.#series.values()].flatMap(series => this.#valuesOf(series));
    return { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values };
  }

  #open(key: string, values: readonly string[]): Series {
    const labels = Object.fromEntries(this.#labels.map((label, i) => [label, values[i] ?? '']));
    const series = { labels, counts: new Float64Array(BOUNDS.length + 1), sum: 0 };
    this.#series.set(key, series);
    return series;
  }

  #valuesOf({ labels, counts, sum }: Series): HistogramValues['values'] {
    let below = 0;
    const buckets = [...BOUNDS.map(String), '+Inf'].map((le, i) => {
      below += counts[i] ?? 0;
      return { labels: { le, ...labels }, value: below, metricName: `${this.#name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.#name}_sum` },
      { labels, value: below, metricName: `${this.#name}_count` },
    ];
  }
}
