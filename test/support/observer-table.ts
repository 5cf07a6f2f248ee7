import pg from 'pg';
import type { Delivery } from '../../src/ingest/journal/entries.ts';

/** Adds events to the table in which the hosted API's software keeps them, in the schema of a place. */
export async function fillObserverTable(database: string, events: readonly Delivery[]): Promise<void> {
  await withSchemaOf(database, async client => {
    await client.query(`CREATE TABLE IF NOT EXISTS event_observer_requests (id bigserial PRIMARY KEY,
      receive_timestamp timestamptz NOT NULL DEFAULT now(), event_path text NOT NULL, payload jsonb NOT NULL)`);
    for (const { path, receivedAt, body } of events)
      await client.query(
        `INSERT INTO event_observer_requests (receive_timestamp, event_path, payload)
         VALUES (to_timestamp($1::numeric / 1000000), $2, $3::jsonb)`,
        [receivedAt, path, Buffer.from(body).toString()],
      );
  });
}

/** Adds events to the table of the event publisher. The first is a JSON text within a JSON string, as early rows are. */
export async function fillMessages(database: string, events: readonly Delivery[]): Promise<void> {
  await withSchemaOf(database, async client => {
    await client.query(`CREATE TABLE IF NOT EXISTS messages (sequence_number bigserial PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(), path text NOT NULL, content jsonb NOT NULL)`);
    for (const [i, { path, receivedAt, body }] of events.entries())
      await client.query(
        `INSERT INTO messages (created_at, path, content) VALUES (to_timestamp($1::numeric / 1000000), $2, $3::jsonb)`,
        [receivedAt, path, i === 0 ? JSON.stringify(Buffer.from(body).toString()) : Buffer.from(body).toString()],
      );
  });
}

/** Adds rows that are not events: a table that was tampered with. */
export async function spoilObserverTable(database: string): Promise<void> {
  await withSchemaOf(database, async client => {
    await client.query(`ALTER TABLE event_observer_requests ALTER receive_timestamp DROP NOT NULL,
      ALTER event_path DROP NOT NULL, ALTER payload DROP NOT NULL`);
    await client.query(`INSERT INTO event_observer_requests (receive_timestamp, event_path, payload)
      VALUES ('infinity', '/new_block', '{}'), (NULL, '/new_block', '{}'), (now(), NULL, '{}'), (now(), '/new_block', NULL)`);
  });
}

export async function withSchemaOf(database: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const schema = new URL(database).searchParams.get('schema') ?? 'public';
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(schema)}`);
    await client.query(`SET search_path TO ${pg.escapeIdentifier(schema)}`);
    await work(client);
  } finally {
    await client.end();
  }
}
