import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { AppError } from '../../base/lib/app-error.ts';
import type { SavedFinds } from './finds.ts';
import type { RouteReport } from './route-report.ts';

/** The options of a comparison; a run with other options cannot continue it. */
export interface ComparisonTerms {
  readonly with: string;
  readonly chainId: number;
  readonly routes: readonly string[];
  readonly samples: number;
}

/** A comparison that stopped, or has ended. */
export interface SavedComparison {
  /** The next step: a round, a route, and how many of its samples are done. Undefined at the end. */
  readonly next: { readonly round: number; readonly route: string; readonly samples: number } | undefined;
  /** Paths of all requests. */
  readonly sent: readonly string[];
  /** Spans of heights that requests were about. */
  readonly spans: readonly number[];
  readonly reports: readonly RouteReport[];
  readonly finds: SavedFinds;
}

/** The file does not belong to this comparison, or is damaged. */
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
 * Reads a file of `saveComparison`; undefined if there is no such file.
 * @throws SavedComparisonRefused if the file is damaged, or of a comparison with other terms
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
  // The checksum proves that this program has written the file.
  if (text.slice(0, end) !== firstLine(body)) throw new SavedComparisonRefused(path, 'is damaged');
  const { terms: found, saved } = JSON.parse(body) as { terms: ComparisonTerms; saved: SavedComparison };
  if (JSON.stringify(found) !== JSON.stringify(terms))
    throw new SavedComparisonRefused(path, `is of another comparison: ${textOf(found)}, not ${textOf(terms)}`);
  return saved;
}

/** Replaces the file atomically, so that a kill leaves the old one or the new one. */
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
