import { readFileSync } from 'node:fs';

/**
 * The pid of the program behind a prefix: `unshare --fork` stays as its parent. To be read before hostile code runs in
 * it, which may fork.
 */
export function programPid(pid: number): number {
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return child === '' ? pid : Number(child);
  } catch {
    return pid;
  }
}

/** When the first process of a PID namespace ends, the kernel kills all others in it. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}
