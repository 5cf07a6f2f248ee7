import { openWebhooksDb } from '../../api/webhooks/store.ts';
import { Webhooks } from '../../api/webhooks/webhooks.ts';
import type { Queries } from '../../base/store/database.ts';
import { openIndexToRead, openJournalToRead } from '../../operate/storage/storage.ts';
import { type Options, UsageError } from '../options/options.ts';
import { VERSION } from '../version.ts';

/**
 * `stacks-index hooks`
 * @returns the exit status
 * @throws UsageError, WebhookRefused, NothingStored
 */
export async function hooks(
  options: Options,
  print: (text: string) => unknown = text => process.stdout.write(text),
): Promise<number> {
  const act = actionOf(options);
  // First: it fails without making a directory if there is no journal.
  await (await openJournalToRead(options)).journalDb.close();
  const db = await openWebhooksDb(options);
  const { maxHooks, hooksAllowHosts: allowHosts = [] } = options;
  try {
    print(
      await act(
        new Webhooks({ db, readIndex: work => readIndex(options, work), maxHooks, allowHosts, version: VERSION }),
      ),
    );
  } finally {
    await db.close();
  }
  return 0;
}

/** Opens the index for one read: only `hooks add --after` needs it. */
async function readIndex<T>(options: Options, work: (queries: Queries) => Promise<T>): Promise<T> {
  const place = await openJournalToRead(options);
  try {
    const index = await openIndexToRead(place);
    try {
      return await index.indexDb.read(work);
    } finally {
      await index.close();
    }
  } finally {
    await place.journalDb.close();
  }
}

type Action = (webhooks: Webhooks) => Promise<string>;

/** @returns a function that returns the text to print */
function actionOf(options: Options): Action {
  const [name, subject] = options.operands;
  if (name !== 'add' && (options.topics ?? options.after) !== undefined)
    throw new UsageError('--topics and --after are for hooks add', 'hooks');
  if (name === undefined) return list;
  const act = ACTIONS.get(name);
  if (act === undefined)
    throw new UsageError(
      `hooks needs one of ${[...ACTIONS.keys()].join(', ')}, not ${JSON.stringify(name)}; without any, it lists`,
      'hooks',
    );
  if (subject === undefined) throw new UsageError(`hooks ${name} needs ${name === 'add' ? 'a URL' : 'an ID'}`, 'hooks');
  return webhooks => act(webhooks, subject, options);
}

/** Actions that return the text to print, by name. */
const ACTIONS: ReadonlyMap<string, (webhooks: Webhooks, subject: string, options: Options) => Promise<string>> =
  new Map([
    ['add', add],
    ['remove', (webhooks: Webhooks, id: string) => webhooks.remove(id).then(() => '')],
    ['resume', (webhooks: Webhooks, id: string) => webhooks.resume(id).then(() => '')],
  ]);

async function list(webhooks: Webhooks): Promise<string> {
  const lines = (await webhooks.list()).map(({ id, state, url, topics, place, failures, error }) =>
    // The receiver may have chosen parts of the error text.
    [id, state, url, topics.join(','), place ?? '-', failures, error ?? '-']
      .join('\t')
      .replaceAll(/[^\t\P{Cc}]/gu, ' '),
  );
  return lines.map(line => `${line}\n`).join('');
}

async function add(webhooks: Webhooks, url: string, { topics = ['block'], after }: Options): Promise<string> {
  const { id, secret } = await webhooks.add({ url, topics, after });
  return `id\t${id}\nsecret\t${secret}\n`;
}
