import { join } from 'node:path';
import type { Database } from '../../base/store/database.ts';
import { type Location, openDatabase, parseLocation } from '../../base/store/open.ts';
import { WEBHOOKS } from './tables.ts';

export interface WebhooksPlace {
  readonly data: string;
  readonly database: string | undefined;
}

/** Location of the webhooks, whether there are any or not. */
function webhooksLocation({ data, database }: WebhooksPlace): Location {
  if (database !== undefined) return parseLocation({ database });
  return { kind: 'sqlite', file: join(data, 'hooks.sqlite'), durability: 'full' };
}

/** Opens the webhooks, and creates their table if it is missing. Throws the two database errors. */
export async function openWebhooksDb(place: WebhooksPlace): Promise<Database> {
  const db = openDatabase(webhooksLocation(place));
  try {
    await db.create([WEBHOOKS]);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
