/** The rules of deploy/prometheus, evaluated by Prometheus itself: each alert fires in its case and no other does, and a sound process causes none. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const RULES = join(import.meta.dirname, '../deploy/prometheus/alerts.yaml');

/** Values of metrics, one a minute, as promtool writes them: `0x60` is 61 times 0, `5+1x60` is 5, 6, 7 ... */
type Series = Readonly<Record<string, string>>;

const LABELS = 'job="stacks-index",instance="127.0.0.1:9464"';
const named = (metric: string, labels = ''): string => `${metric}{${LABELS}${labels === '' ? '' : `,${labels}`}}`;
const MINUTES = 60;
const always = (value: number): string => `${value}x${MINUTES}`;
const growing = (step: number): string => `0+${step}x${MINUTES}`;

/** One process that has no trouble. */
const SOUND: Series = {
  [named('up')]: always(1),
  [named('stacks_index_up')]: always(1),
  [named('stacks_index_writer_active')]: always(1),
  [named('stacks_index_block_height')]: growing(5),
  [named('stacks_index_lag_events')]: always(100),
  [named('stacks_index_gaps')]: always(0),
  [named('stacks_index_set_aside')]: always(0),
  [named('stacks_index_journal_losses_total')]: always(0),
  [named('stacks_index_event_seconds_count', 'path="/new_block",outcome="accepted"')]: growing(5),
  [named('stacks_index_http_request_seconds_count', 'route="/extended",status="503"')]: growing(5),
  [named('stacks_index_http_shed_total')]: always(3),
  [named('stacks_index_refused_total', 'resource="replays",limit="total"')]: growing(60),
  [named('stacks_index_loop_hold_seconds_sum', 'by="verify"')]: growing(2),
};

/** What differs from that, and the minute at which the alert has fired. */
const CASES: Readonly<Record<string, readonly [changed: Series, minute: number]>> = {
  StacksIndexProcessDown: [{ [named('up')]: always(0) }, 3],
  StacksIndexUnreadable: [{ [named('stacks_index_up')]: always(0) }, 3],
  // While `serve` builds an index it has these metrics alone.
  StacksIndexRebuilding: [
    {
      ...Object.fromEntries(Object.keys(SOUND).map(name => [name, '_'])),
      [named('up')]: always(1),
      [named('stacks_index_up')]: always(0),
      [named('stacks_index_rebuild_progress')]: `0+0.01x${MINUTES}`,
    },
    36,
  ],
  StacksIndexNoActiveWriter: [{ [named('stacks_index_writer_active')]: always(0) }, 3],
  StacksIndexSeveralActiveWriters: [
    { 'stacks_index_writer_active{job="stacks-index",instance="other"}': always(1) },
    6,
  ],
  StacksIndexLagging: [{ [named('stacks_index_lag_events')]: always(101) }, 6],
  StacksIndexGap: [{ [named('stacks_index_gaps')]: always(1) }, 6],
  StacksIndexEventsSetAside: [{ [named('stacks_index_set_aside')]: always(1) }, 1],
  StacksIndexLoadFailed: [{ [named('stacks_index_load_failed')]: always(1) }, 1],
  StacksIndexEventsFailed: [
    { [named('stacks_index_event_seconds_count', 'path="/new_block",outcome="failed"')]: growing(1) },
    6,
  ],
  StacksIndexWebhookParked: [{ [named('stacks_index_webhooks', 'figure="parked"')]: always(1) }, 1],
  StacksIndexHeightStuck: [{ [named('stacks_index_block_height')]: always(7) }, 36],
  StacksIndexEventsLost: [{ [named('stacks_index_journal_losses_total')]: `0x3 1x${MINUTES}` }, 6],
  StacksIndexReadDatabaseDown: [{ [named('stacks_index_read_database_up', 'database="0"')]: always(0) }, 3],
  StacksIndexReadDatabaseLagging: [
    { [named('stacks_index_read_database_lag_events', 'database="0"')]: always(101) },
    6,
  ],
  StacksIndexFollowDown: [{ [named('stacks_index_follow_up')]: always(0) }, 6],
  StacksIndexFollowLagging: [{ [named('stacks_index_follow_lag_rows')]: always(101) }, 6],
  StacksIndexShedding: [{ [named('stacks_index_http_shed_total')]: growing(1) }, 15],
  StacksIndexLoopHeld: [{ [named('stacks_index_loop_hold_seconds_sum', 'by="verify"')]: growing(4) }, 15],
  StacksIndexResourceFull: [
    { [named('stacks_index_refused_total', 'resource="streams",limit="total"')]: growing(1) },
    15,
  ],
  StacksIndexServerErrors: [
    { [named('stacks_index_http_request_seconds_count', 'route="/extended",status="500"')]: growing(1) },
    10,
  ],
};

/** A test of promtool: which alerts fire at a minute. */
function firingAt(name: string, series: Series, minute: number, alerts: readonly string[]) {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minute}m`,
        exp_samples: alerts.map(alertname => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

test('an alert fires in its case, and no other does; a sound process causes none', t => {
  if (spawnSync('promtool', ['--version']).error) return t.skip('not installed: promtool');
  const folder = mkdtempSync(join(tmpdir(), 'stacks-alerts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tests = [
    ...[5, 36, MINUTES].map(minute => firingAt('sound', SOUND, minute, [])),
    ...Object.entries(CASES).map(([name, [changed, minute]]) =>
      firingAt(name, { ...SOUND, ...changed }, minute, [name]),
    ),
  ];
  const file = join(folder, 'tests.yaml');
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

test('every alert has a case', () => {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  assert.deepEqual(Object.keys(CASES), alerts);
});
