import { openJournalToRead } from '../storage/storage.ts';
import type { Database } from '../store/database.ts';
import { DEFAULT_WEBHOOK_LIMITS } from '../webhooks/limits.ts';
import { openWebhooksDb } from '../webhooks/open.ts';
import { WebhookClient } from '../webhooks/post.ts';
import { addWebhook, listWebhooks, removeWebhook, resumeWebhook } from '../webhooks/store.ts';
import { newWebhook } from '../webhooks/webhook.ts';
import { type Options, UsageError } from './options.ts';
import { VERSION } from './version.ts';

/**
 * `stacks-index hooks`
 * @returns the exit status
 * @throws UsageError, WebhookRefused, FatalDatabaseError when there is no journal
 */
export async function hooks(
  options: Options,
  print: (text: string) => unknown = text => process.stdout.write(text),
): Promise<number> {
  const act = actionOf(options);
  // First: it makes no directory where there is none.
  await openJournalToRead(options).journalDb.close();
  const db = await openWebhooksDb(options);
  try {
    print(await act(db));
  } finally {
    await db.close();
  }
  return 0;
}

type Action = (db: Database) => Promise<string>;

/** @returns gives what is printed */
function actionOf(options: Options): Action {
  const [action, subject, ...more] = options.operands;
  if (action !== 'add' && (options.topics ?? options.after) !== undefined)
    throw new UsageError('--topics and --after are for hooks add', 'hooks');
  if (action === undefined) return list;
  if (subject === undefined || more.length > 0)
    throw new UsageError(`hooks ${action} takes ${action === 'add' ? 'a URL' : 'an id'}`, 'hooks');
  switch (action) {
    case 'add':
      return db => add(db, subject, options);
    case 'remove':
      return async db => {
        await removeWebhook(db, subject);
        return '';
      };
    case 'resume':
      return async db => {
        await resumeWebhook(db, subject);
        return '';
      };
    default:
      throw new UsageError(`hooks can add, remove and resume, not ${JSON.stringify(action)}`, 'hooks');
  }
}

async function list(db: Database): Promise<string> {
  const lines = (await listWebhooks(db)).map(({ id, state, url, topics, place, failures, error }) =>
    // Whoever receives it may have chosen words of the error.
    [id, state, url, topics.join(','), place ?? '-', failures, error ?? '-']
      .join('\t')
      .replaceAll(/[^\t\P{Cc}]/gu, ' '),
  );
  return lines.map(line => `${line}\n`).join('');
}

async function add(db: Database, url: string, options: Options): Promise<string> {
  const { hooksAllowHosts: allowHosts = [], maxHooks, topics = ['block'], after } = options;
  const client = new WebhookClient({ allowHosts, limits: DEFAULT_WEBHOOK_LIMITS, version: VERSION });
  const request = { url, topics, after };
  const row = newWebhook(request, target => client.refusal(target), DEFAULT_WEBHOOK_LIMITS, Date.now());
  await addWebhook(db, row, maxHooks);
  return `id\t${row.id}\nsecret\t${row.secret}\n`;
}
