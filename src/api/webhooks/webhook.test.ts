import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFreshOf } from '../../../test/support/engines.ts';
import { addWebhook } from './store.ts';
import { WEBHOOKS } from './tables.ts';
import { DEFAULT_WEBHOOK_LIMITS, newWebhook, type WebhookRequest } from './webhook.ts';

const GOOD: WebhookRequest = { url: 'https://example.com/hook', topics: ['block'], after: undefined };
const make = (request: Partial<WebhookRequest>) =>
  newWebhook({ ...GOOD, ...request }, url => (url.port ? 'a port' : undefined), DEFAULT_WEBHOOK_LIMITS, 5);

test('what a webhook cannot have is refused, and the message says what', () => {
  const cases: readonly (readonly [Partial<WebhookRequest>, RegExp])[] = [
    [{ url: 'nowhere' }, /url must be an http or https URL/],
    [{ url: 'https://user:password@example.com/' }, /without user/],
    [{ url: `https://example.com/${'x'.repeat(2000)}` }, /url must be an http or https URL/],
    [{ url: 'https://example.com:8443/' }, /url is not allowed: a port/],
    [{ topics: [] }, /topics must have 1 to 100 items/],
    [{ topics: Array.from({ length: 101 }, () => 'block') }, /topics must have 1 to 100 items/],
    [{ topics: ['block', 'foo', 'mempool'] }, /"foo", "mempool"/],
    [{ after: '1.2' }, /after must be the id of an event, not "1.2"/],
  ];
  for (const [request, message] of cases) assert.throws(() => make(request), message);
});

test('each webhook has an id and a secret of its own, and topics in the spelling of the index', () => {
  const [a, b] = [make({ topics: [`tx:${'AB'.repeat(32)}`] }), make({})];
  assert.notEqual(a.id, b.id);
  assert.notEqual(a.secret, b.secret);
  assert.match(a.secret, /^[0-9a-f]{64}$/);
  assert.deepEqual(JSON.parse(a.topics), [`tx:0x${'ab'.repeat(32)}`]);
});

test('there are no more webhooks than there may be', async t => {
  const { database } = await openFreshOf.sqlite(t);
  await database.create([WEBHOOKS]);
  await addWebhook(database, make({}), 1);
  await assert.rejects(addWebhook(database, make({}), 1), /there are 1 webhooks/);
});
