import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second (USER_HZ, proc(5)). */
const TICKS_PER_SECOND = 100;

/** CPU seconds of this process and of all its descendants that have ended; undefined on a system without /proc. */
export function cpuSeconds(): number | undefined {
  const { user, system } = process.cpuUsage();
  try {
    // Behind the name, which may contain spaces: the fields of proc_pid_stat(5) from the third, `cutime` and `cstime` are 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}
