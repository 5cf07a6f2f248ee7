/** What the processes of a test run say to each other: over the IPC channel of Node.js, and `Imported` as a line of output. */

/** How a test ended. */
export interface Outcome {
  /** The test file, relative to the checkout. */
  readonly file: string;
  /** Its suites, the outermost first, and its own name. */
  readonly path: readonly string[];
  readonly passed: boolean;
  /** Why it was skipped. */
  readonly skipped?: string;
  /** What went wrong; undefined for a suite in which only tests failed. */
  readonly failure?: string;
  readonly milliseconds: number;
  readonly isSuite: boolean;
}

/** To a process that runs files: the next one, or that there is none. */
export type Order = { readonly kind: 'run'; readonly file: string } | { readonly kind: 'end' };

/** From a process that runs files. */
export type Report =
  | { readonly kind: 'started'; readonly file: string }
  | { readonly kind: 'test'; readonly path: readonly string[] }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** Something was thrown that belongs to no test. */
  | { readonly kind: 'error'; readonly text: string }
  /** The tests of the file have ended; these resources keep the process alive. */
  | { readonly kind: 'open'; readonly resources: readonly string[] }
  /** The file has ended; `cpuSeconds` is what it took, with the programs that it started and that have ended. */
  | { readonly kind: 'ended'; readonly residentBytes: number; readonly cpuSeconds: number };

/** What the import of a test file did. */
export interface Imported {
  /** Resources that it left open. */
  readonly open: readonly string[];
  /** Why it failed. */
  readonly failure?: string;
}
