/** A reporter of node:test: sends each test to the parent of this process as it begins and as it ends. */
import { EventEmitter } from 'node:events';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { Outcome, Report } from './messages.ts';

/** Emits the name of a file once its suite and all within was reported. */
export const reported = new EventEmitter();

/** Tests that have begun, with the names of the suites around them. The outermost suite is the file (worker.ts). */
const paths = new Map<number, readonly string[]>();

const send = (report: Report): void => void process.send?.(report);

// biome-ignore lint/correctness/useYield: the form that node:test wants; nothing goes to a stream
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    switch (event.type) {
      case 'test:enqueue': {
        const { name, testId, parentId } = event.data as Identified;
        paths.set(testId, [...(paths.get(parentId) ?? []), name]);
        break;
      }
      case 'test:dequeue':
        send({ kind: 'test', path: pathOf(event.data as Identified).slice(1) });
        break;
      case 'test:pass':
      case 'test:fail': {
        const outcome = outcomeOf(event);
        send({ kind: 'outcome', outcome });
        paths.delete((event.data as Identified).testId);
        if (outcome.path.length === 0) reported.emit(outcome.file);
        break;
      }
      case 'test:diagnostic':
        // What tests note for readers.
        if (event.data.nesting > 0) console.log(`ℹ ${event.data.message}`);
        break;
      default:
        // Other events of node:test report no outcome.
        break;
    }
  }
}

/** Node.js 24 gives both; its published types do not have them yet. */
interface Identified {
  readonly name: string;
  readonly testId: number;
  readonly parentId: number;
}

interface Details {
  readonly error?: Error & { readonly failureType?: string };
}

/** Of a suite only what is wrong with itself: a hook, or the file. */
const failureIn = ({ error }: Details): Pick<Outcome, 'failure'> =>
  error?.failureType === 'subtestsFailed' ? {} : { failure: inspect(error?.cause ?? error) };

const pathOf = ({ testId, name }: Identified): readonly string[] => paths.get(testId) ?? [name];

function outcomeOf({ type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): Outcome {
  const { skip, todo, details } = data;
  const [file = '', ...path] = pathOf(data as unknown as Identified);
  const skipped = skip === true ? 'no reason given' : skip;
  const passed = type === 'test:pass' || todo !== undefined;
  return {
    file,
    path,
    passed,
    ...(typeof skipped === 'string' && { skipped }),
    ...(!passed && failureIn(details as Details)),
    milliseconds: details.duration_ms,
    isSuite: details.type === 'suite',
  };
}
