import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { AppError } from '../../base/lib/app-error.ts';
import type { SavedFinds } from './finds.ts';
import type { RouteReport } from './route-report.ts';

/** What a comparison was started with; one with other values cannot continue it. */
export interface ComparisonTerms {
  readonly with: string;
  readonly chainId: number;
  readonly routes: readonly string[];
  readonly samples: number;
}

/** A comparison that stopped, or has ended. */
export interface SavedComparison {
  /** What comes next: a round, a route, and how many of its samples are done. Undefined when everything is done. */
  readonly next: { readonly round: number; readonly route: string; readonly samples: number } | undefined;
  /** Paths of all requests. */
  readonly sent: readonly string[];
  /** Spans of heights that requests were about. */
  readonly spans: readonly number[];
  readonly reports: readonly RouteReport[];
  readonly finds: SavedFinds;
}

/** A file that cannot continue this comparison. */
class SavedComparisonRefused extends AppError {
  override readonly name = 'SavedComparisonRefused';
  override readonly kind = 'operator';

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`, {
      hint: 'Name another file with --state, or delete this one to compare from the start.',
    });
  }
}

const FORMAT = 'stacks-index comparison 1';

/**
 * Reads what `saveComparison` has written; undefined if there is no such file.
 * @throws SavedComparisonRefused when it is damaged, or of a comparison with other terms
 */
export async function readComparison(path: string, terms: ComparisonTerms): Promise<SavedComparison | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  if (!text.startsWith(`${FORMAT} `)) throw new SavedComparisonRefused(path, 'is no file of a comparison');
  // With its checksum it is what this program has written.
  if (text.slice(0, end) !== firstLine(body)) throw new SavedComparisonRefused(path, 'is damaged');
  const { terms: found, saved } = JSON.parse(body) as { terms: ComparisonTerms; saved: SavedComparison };
  if (JSON.stringify(found) !== JSON.stringify(terms))
    throw new SavedComparisonRefused(path, `is of another comparison: ${textOf(found)}, not ${textOf(terms)}`);
  return saved;
}

/** Replaces the file at once, so that a kill leaves the one before or the new one. */
export async function saveComparison(path: string, terms: ComparisonTerms, saved: SavedComparison): Promise<void> {
  const body = JSON.stringify({ terms, saved });
  await writeFile(`${path}.new`, `${firstLine(body)}\n${body}`);
  await rename(`${path}.new`, path);
}

const firstLine = (body: string): string => `${FORMAT} ${createHash('sha256').update(body).digest('hex')}`;

const textOf = ({ with: server, chainId, routes, samples }: ComparisonTerms): string =>
  [
    `--with ${server}`,
    ...(routes.length > 0 ? [`--routes ${routes.join(',')}`] : []),
    `--samples ${samples}`,
    `chain 0x${chainId.toString(16).padStart(8, '0')}`,
  ].join(' ');
