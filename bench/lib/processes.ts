import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Empty for a process that has gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Fields of /proc/<pid>/stat from the third on: state, parent, ... */
function readStat(pid: number | string): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A process and all that descend from it. */
export function findFamily(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const [, parent] = /^\d+$/.test(name) ? readStat(name) : [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const family = [root];
  for (const pid of family) for (const [child, parent] of parents) if (parent === pid) family.push(child);
  return family;
}

/** Memory of processes in MiB: proportional set size, so that what they share counts once. */
export const measureMemory = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0), 0) /
  1_024;

/** Processor seconds that processes have used, in user and system mode, children that ended included. */
export const processorSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const fields = readStat(pid);
    return sum + [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at] ?? 0), 0);
  }, 0) / ticksPerSecond;
