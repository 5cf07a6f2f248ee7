import type { CommandName } from './options/option-spec.ts';

/** The command that the user typed: one of the program, or `npm run demo`. */
export type Typed = CommandName | 'demo';

const STOP = 'Stop the other process';

/** What to do when another process uses the directory that a command needs. */
const IN_USE: Readonly<Record<Typed, string>> = {
  serve: `${STOP}, or choose another directory with --data. One process writes a directory; others may read it with --mode readonly.`,
  replay: `${STOP} meanwhile, or choose another directory with --data. A node sends again what \`serve\` does not accept, so nothing is lost.`,
  reindex: `${STOP}, or wait until it ends.`,
  'drop-old': `${STOP}, or wait until it ends.`,
  gaps: `${STOP} meanwhile, or let it end: it takes no repairs. \`serve\` takes them while it runs, once it knows its chain.`,
  'set-aside': `${STOP} meanwhile: \`set-aside --retry\` needs the directory alone. A node sends again what \`serve\` does not accept.`,
  journal: `${STOP} meanwhile: \`journal drop\` needs the directory alone. A node sends again what \`serve\` does not accept.`,
  copy: `${STOP} meanwhile: what arrived after the start would not be copied. A node sends again what \`serve\` does not accept.`,
  snapshot: `${STOP}, or restore into another directory with --data.`,
  verify: `${STOP}, or wait until it ends.`,
  export: `${STOP}, or wait until it ends.`,
  hooks: `${STOP}, or wait until it ends.`,
  compare: `${STOP}, or wait until it ends.`,
  estimate: `${STOP}, or wait until it ends.`,
  demo: 'Another demo is running: open it at http://127.0.0.1:3999/explorer, or stop it with Ctrl-C first.',
};

export const adviceInUse = (typed: Typed): string => IN_USE[typed];

/** What to do when a program listens on a port that `serve` needs. */
export const advicePortInUse = (typed: Typed): string =>
  typed === 'demo'
    ? 'Stop the program that listens there, or choose other ports: npm run demo -- --port 4000 --event-port 4700'
    : 'Stop the program that listens there, or choose another --port, --event-port or --metrics-port.';
