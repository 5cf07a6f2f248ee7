import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { type FileChange, FileContent, type Kept } from './file-content.ts';

/** What a program did to a directory, as the layer (layer.c) wrote it down. */
type Step =
  | { readonly kind: 'create'; readonly file: number; readonly name: string }
  | { readonly kind: 'change'; readonly file: number; readonly change: FileChange }
  | { readonly kind: 'sync'; readonly file: number }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'sync directory' };

type NameStep = Extract<Step, { kind: 'create' | 'remove' | 'rename' }>;

/** The files of a directory by their names. */
export type Files = ReadonlyMap<string, Buffer>;

export interface Loss {
  /** How many bytes of the log had been written when the power failed. */
  readonly at: number;
  readonly kept: Kept;
}

/** Length of the header of a record; see `struct record` in layer.c. */
const HEADER = 17;

/**
 * The files that a power failure leaves. What was synced is there. Of what was not, each change of a file is there, is not, or is in
 * part, by sectors, whatever came before or after it; names are given and taken in order.
 * @param before the files when the log began, all of them synced
 */
export function filesAfter(before: Files, log: Buffer, { at, kept }: Loss, random: Random): Files {
  const contents = new Map<number, FileContent>();
  const names = new Map<string, FileContent>();
  for (const [name, bytes] of before) names.set(name, new FileContent(bytes));
  /** As the program sees them; `names` is what the disk has. */
  const seen = new Map(names);
  let pending: (() => void)[] = [];

  const nameStep = (step: NameStep): (() => void) => {
    switch (step.kind) {
      case 'create': {
        const existing = seen.get(step.name);
        const content = existing ?? new FileContent(Buffer.alloc(0));
        contents.set(step.file, content);
        if (existing) return () => {};
        seen.set(step.name, content);
        return () => names.set(step.name, content);
      }
      case 'remove':
        seen.delete(step.name);
        return () => names.delete(step.name);
      case 'rename': {
        const content = seen.get(step.from);
        seen.delete(step.from);
        if (content) seen.set(step.to, content);
        return () => {
          names.delete(step.from);
          if (content) names.set(step.to, content);
        };
      }
      default:
        return step satisfies never;
    }
  };

  for (const step of stepsOf(log.subarray(0, at))) {
    switch (step.kind) {
      case 'change':
        contents.get(step.file)?.change(step.change);
        break;
      case 'sync':
        contents.get(step.file)?.sync();
        break;
      case 'sync directory':
        for (const make of pending) make();
        pending = [];
        break;
      default:
        pending.push(nameStep(step));
    }
  }
  const made = { none: 0, all: pending.length, some: random.int(0, pending.length) }[kept];
  for (const make of pending.slice(0, made)) make();
  return new Map([...names].map(([name, content]) => [name, content.afterLoss(kept, random)]));
}

/** The record that was being written when the program was killed is left out: its write may not have happened. */
function* stepsOf(log: Buffer): Iterable<Step> {
  for (let at = 0; at + HEADER <= log.length; ) {
    const kind = log.readUInt8(at);
    const file = log.readUInt32LE(at + 1);
    const offset = Number(log.readBigUInt64LE(at + 5));
    const end = at + HEADER + log.readUInt32LE(at + 13);
    if (end > log.length) return;
    yield stepOf(kind, file, offset, log.subarray(at + HEADER, end));
    at = end;
  }
}

function stepOf(kind: number, file: number, offset: number, bytes: Buffer): Step {
  switch (kind) {
    case 1:
      return { kind: 'create', file, name: bytes.toString() };
    case 2:
      return { kind: 'change', file, change: { offset, bytes } };
    case 3:
      return { kind: 'change', file, change: { size: offset } };
    case 4:
      return { kind: 'sync', file };
    case 5:
      return { kind: 'remove', name: bytes.toString() };
    case 6: {
      const [from = '', to = ''] = bytes.toString().split('\0');
      return { kind: 'rename', from, to };
    }
    case 7:
      return { kind: 'sync directory' };
    default:
      throw new Error(`a record of kind ${kind}`);
  }
}

/** The files of a directory. The shared memory of processes (`-shm`) is left out. */
export function readFiles(directory: string): Files {
  const names = readdirSync(directory).filter(name => !name.endsWith('-shm'));
  const files = names.filter(name => statSync(join(directory, name)).isFile());
  return new Map(files.map(name => [name, readFileSync(join(directory, name))]));
}

export function writeFiles(directory: string, files: Files): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(directory, name), bytes);
}
