import { type FileRun, type ProcessOptions, startTestProcess, type TestProcess } from './test-process.ts';

/** Files that start programs, and mostly wait for them. */
const WAITING =
  /^test\/((attack\/attack|crash\/|explorer\/browser|topology\/[opt])|(broadcast|clarinet|command-line|gaps|metadata|moving|reindex|webhooks)\.)/;

/** These share the chains that the simulator makes for them, so one process runs them, one after another. */
const SIMULATED = /^test\/conformance\/chainsim/;

export interface RunOptions extends ProcessOptions {
  /** At a time. */
  readonly processes: number;
  readonly onFile?: (run: FileRun) => void;
}

/**
 * Runs test files in a few processes, each of which runs one file after another: loading the program and making its code fast takes longer than
 * most files do. A file that ends its process, or hangs, is blamed for it, and the files that had not begun run in a new process.
 */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<FileRun[]> {
  const { processes, onFile = () => {} } = options;
  const queue = queueOf(files);
  const runs: FileRun[] = [];
  const add = (run: FileRun) => {
    runs.push(run);
    onFile(run);
  };

  /** Runs what it takes from the queue, until that is empty. */
  const work = async (take: () => readonly string[] | undefined): Promise<void> => {
    let process: TestProcess | undefined;
    let last = '';
    const end = async () => {
      const wrong = await process?.end();
      process = undefined;
      if (wrong !== undefined)
        add({
          file: last,
          outcomes: [],
          errors: [`after its end, ${wrong}`],
          output: '',
          milliseconds: 0,
          cpuSeconds: 0,
        });
    };
    for (let next = take(); next !== undefined && !options.signal.aborted; next = take())
      for (const file of next) {
        process ??= startTestProcess(options);
        add(await process.run(file));
        last = file;
        if (!process.isUsable()) await end();
      }
    await end();
  };

  // One computes all the time, the others begin with files that mostly wait: so both cores of a small machine have work.
  const takes = Array.from({ length: processes }, (_, i) => () => (i === 0 ? queue.shift() : queue.pop()));
  await Promise.all(takes.map(work));
  return runs;
}

/** Files in the order in which they run, those together that one process is to run. */
function queueOf(files: readonly string[]): (readonly string[])[] {
  const kindOf = (file: string) => (SIMULATED.test(file) ? 'simulated' : WAITING.test(file) ? 'waiting' : 'computing');
  const { computing = [], waiting = [], simulated = [] } = Object.fromEntries(Map.groupBy(files, kindOf));
  return [...computing.map(file => [file]), simulated, ...waiting.map(file => [file])].filter(
    ({ length }) => length > 0,
  );
}
