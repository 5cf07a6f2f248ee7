import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMANDS } from './command-help.ts';
import { parseCommandLine } from './command-line.ts';
import { type CommandName, variablesOf } from './option-spec.ts';
import { ALL_OPTIONS } from './option-table.ts';
import { readOptions, UsageError } from './options.ts';

const serve = (args: readonly string[], env: Record<string, string> = {}) => readOptions(['serve', ...args], env);

function helpOf(...args: string[]): string {
  const line = parseCommandLine([...args, '--help']);
  assert.ok(line.kind === 'printout');
  return line.text;
}

const refusal = (args: readonly string[], env: Record<string, string> = {}): UsageError => {
  try {
    readOptions(args, env);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error;
  }
  throw new Error(`${args.join(' ')} is accepted`);
};

describe('where the value of an option comes from', () => {
  test('the command line wins over the environment, and the environment over the default', () => {
    assert.equal(serve([]).port, 3999);
    assert.equal(serve([], { STACKS_BLOCKCHAIN_API_PORT: '1' }).port, 1);
    assert.equal(serve(['--port', '2'], { STACKS_BLOCKCHAIN_API_PORT: '1' }).port, 2);
  });

  test('archives to load are files and URLs, or none; a process that takes no events loads nothing', () => {
    assert.equal(serve([]).replay, undefined);
    assert.deepEqual(serve(['--replay', 'none']).replay, []);
    assert.deepEqual(serve([], { STACKS_INDEX_REPLAY: 'a.tsv, https://example.com/b.zst' }).replay, [
      'a.tsv',
      'https://example.com/b.zst',
    ]);
    for (const text of ['-', 'a.tsv,-', 'a.tsv,none', 'postgres://host/name'])
      assert.match(
        refusal(['serve', '--replay', text]).message,
        /--replay must be files or http:\/\/ or https:\/\/ URLs/,
      );
    assert.match(
      refusal(['serve', '--mode', 'readonly', '--replay', 'a.tsv']).message,
      /--replay needs a process that takes events/,
    );
  });

  test('an earlier name of a flag or a variable still works, and its new name wins', () => {
    for (const [flag, spec] of ALL_OPTIONS) {
      if (spec.value === undefined || spec.formerly === undefined) continue;
      const { formerly, env = '' } = spec;
      const field = flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const read = (args: readonly string[], variables: Record<string, string> = {}) =>
        new Map<string, unknown>(Object.entries(serve(args, variables))).get(field);
      assert.equal(read([`--${formerly.flag}`, '200001']), 200001);
      assert.equal(read([], { [formerly.env]: '200002' }), 200002);
      assert.equal(read([`--${formerly.flag}`, '200001', `--${flag}`, '200003']), 200003);
      assert.equal(read([], { [formerly.env]: '200002', [env]: '200004' }), 200004);
      assert.equal(read([`--${formerly.flag}`, '200001'], { [env]: '200004' }), 200001);
      assert.ok(!helpOf('serve').includes(formerly.flag), 'the help shows the new name only');
    }
  });

  test('the flags that operators have are kept under their earlier names', () => {
    const { maxConcurrentRequests, maxResponseBytes } = serve([
      '--max-unanswered',
      '7',
      '--max-answer-bytes',
      '100000',
    ]);
    assert.deepEqual(
      { maxConcurrentRequests, maxResponseBytes },
      { maxConcurrentRequests: 7, maxResponseBytes: 100000 },
    );
  });

  test('PostgreSQL is found by the variables of the software that operators come from', () => {
    const parts = { PG_HOST: 'db', PG_USER: 'u', PG_PASSWORD: 'p/w', PG_DATABASE: 'd', PG_SCHEMA: 's' };
    assert.equal(serve([], parts).database, 'postgres://u:p%2Fw@db:5432/d?schema=s');
    assert.equal(serve([], { ...parts, PG_CONNECTION_URI: 'postgres://x/y' }).database, 'postgres://x/y');
    assert.equal(serve([], { ...parts, STACKS_INDEX_DATABASE: 'postgres://z/y' }).database, 'postgres://z/y');
  });

  test('a directory on the command line wins over a database in the environment', () => {
    assert.equal(serve(['--data', 'd'], { PG_HOST: 'db' }).database, undefined);
  });

  test('slow requests are logged only if asked for, and 0 means all of them', () => {
    assert.equal(serve([]).logSlowMs, undefined);
    assert.equal(serve(['--log-slow-ms', '1000']).logSlowMs, 1000);
    assert.equal(serve(['--log-slow-ms', '0']).logSlowMs, 0);
    assert.equal(serve(['--log-slow-ms', 'off']).logSlowMs, undefined);
    assert.equal(serve([]).serverTiming, false);
    assert.equal(serve([], { STACKS_INDEX_SERVER_TIMING: 'on' }).serverTiming, true);
  });
});

describe('a wrong command line is refused with what to do', () => {
  test('a value out of range names the option or the variable, the value, and what is allowed', () => {
    assert.equal(
      refusal(['serve', '--workers', '0']).message,
      '--workers must be a whole number from 1 to 256; it is "0"',
    );
    assert.equal(
      refusal(['serve'], { STACKS_API_MODE: 'reader' }).message,
      'STACKS_API_MODE must be one of default, readonly, writeonly; it is "reader"',
    );
    assert.equal(
      refusal(['serve', '--max-unanswered', 'x']).message,
      '--max-unanswered must be a whole number from 1 to 1000000; it is "x"',
    );
    assert.match(refusal(['serve', '--log-slow-ms', 'never']).message, /a whole number from 0 to 3600000, or off/);
  });

  test('a secret is not shown', () => {
    assert.ok(!refusal(['serve', '--event-secret', 'hush!']).message.includes('hush'));
  });

  test('an option of another command says which commands have it', () => {
    assert.match(
      refusal(['replay', 'f', '--port', '1']).message,
      /^replay has no option --port; it is an option of serve\nUsage: stacks-index replay ARCHIVE\.\.\. \[options\]$/,
    );
    assert.match(refusal(['--data', 'd', 'serve']).message, /--data must follow the command/);
  });

  test('but a script may give every command the same place, chain and log level', () => {
    for (const args of [['verify'], ['export', 'f.tsv'], ['replay', 'f.tsv'], ['reindex'], ['serve']])
      readOptions([...args, '--data', 'd', '--chain-id', '1', '--log-level', 'error'], {});
    readOptions(['copy', '--from', 'd', '--to', 'e', '--chain-id', '1', '--log-level', 'error'], {});
  });

  test('an option with a typing error gets a suggestion', () => {
    assert.match(refusal(['serve', '--worker', '2']).message, /Did you mean --workers\?/);
  });

  test('a directory and a database at once are refused', () => {
    assert.match(refusal(['serve', '--data', 'd', '--database', 'postgres://a/b']).message, /cannot be used with/);
  });

  test('keys that are secret cannot be given where other users see them', () => {
    assert.match(
      refusal(['serve', '--metadata-images-secret-key', 'x']).message,
      /only be set in the environment, as STACKS_INDEX_IMAGES_SECRET_KEY/,
    );
  });
});

describe('the help', () => {
  for (const command of Object.keys(COMMANDS) as CommandName[])
    test(`of ${command} shows its options and no others, with their variables, examples and the exit status`, () => {
      const help = helpOf(command);
      for (const [flag, spec] of ALL_OPTIONS) {
        const isShown = spec.commands.includes(command) && !(spec.value !== undefined && spec.environmentOnly);
        assert.equal(new RegExp(`^  --${flag} `, 'm').test(help), isShown, flag);
        if (isShown) for (const name of variablesOf(spec)) assert.ok(help.includes(name), name);
      }
      assert.match(help, /Usage: stacks-index/);
      assert.match(help, /Examples:\n {2}stacks-index/);
      assert.match(help, /Exit status: 0/);
    });

  test('a paragraph breaks only where a line is full', () => {
    const width = Math.max(process.stdout.columns ?? 130, 80);
    for (const command of Object.keys(COMMANDS) as CommandName[]) {
      const lines = (helpOf(command).split('Storage:')[0] ?? '').split('\n');
      for (const [i, line] of lines.entries()) {
        const [next = ''] = (lines[i + 1] ?? '').split(' ');
        if (line !== '' && next !== '') assert.ok(`${line} ${next}`.length > width, `${command}: ${line}`);
      }
    }
  });

  test('every example of the help is a command line that is accepted', () => {
    const lines = ['', ...Object.keys(COMMANDS)].flatMap(
      name => helpOf(...(name === '' ? [] : [name])).match(/^ {2}stacks-index .*$/gm) ?? [],
    );
    assert.ok(lines.length >= 10);
    for (const line of lines) readOptions(line.trim().split(' ').slice(1), {});
  });
});

test('hosts that may be private are names, addresses or origins, and nothing that would match nothing', () => {
  for (const flag of ['--metadata-allow-hosts', '--hooks-allow-hosts']) {
    const fine =
      'localhost, 10.0.0.5:8080, ::1, [::1]:80, ipfs_1.lan, http://10.0.0.5:8080/ipfs/, https://bücher.example';
    assert.doesNotThrow(() => serve([flag, fine]));
    for (const wrong of ['a b', 'ftp://host', '*.example.com', 'host:port', 'http://', 'fine,a b'])
      assert.match(
        refusal(['serve', flag, wrong]).message,
        /allow-hosts must be hosts, each as host, host:port/,
        wrong,
      );
  }
});
