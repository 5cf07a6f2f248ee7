import { readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';

/** Memory that belongs to a process alone: what is in memory, what other processes may map too, and what was swapped out. In kB. */
const FIELDS = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;

/**
 * Bytes that the system cannot reclaim from a process. They exclude pages of mapped files, which the system drops when it needs memory;
 * `process_resident_memory_bytes` may count those of an index of 2 GB again for each connection.
 * @param status text of `/proc/self/status` of Linux (proc(5)). @returns undefined if the text has no such fields, as with kernels before 4.5
 */
export function privateBytes(status: string): number | undefined {
  const fields = [...status.matchAll(FIELDS)];
  return fields.length === 0 ? undefined : fields.reduce((sum, [, kB]) => sum + Number(kB) * 1024, 0);
}

/** Adds the figure of this process, on Linux. */
export function privateMemoryGauge(registry: Registry): void {
  if (process.platform !== 'linux') return;
  new Gauge({
    name: 'stacks_index_private_memory_bytes',
    help: 'Memory of the process that the system cannot take back: all but pages of mapped files',
    registers: [registry],
    collect() {
      const bytes = privateBytes(readFileSync('/proc/self/status', 'latin1'));
      if (bytes === undefined) this.remove();
      else this.set(bytes);
    },
  });
}
