import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import type { Env } from '#src/process/env.ts';

/**
 * What the operating system adds around a child. `namespaces` is the boundary that counts: without a network of its own
 * a process that got out of V8 reaches everything the host reaches. The others only narrow what is left.
 */
export type OsBoundary = {
  namespaces: 'user+network' | 'network' | 'none';
  noNewPrivileges: boolean;
  resourceLimits: boolean;
};

export type BoundaryCommand = { boundary: OsBoundary; prefix: string[] };

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const probeTimeoutMs = 5000;
const run = promisify(execFile);

function find(tool: string): string | undefined {
  return folders
    .map((folder) => `${folder}/${tool}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

async function works(command: string[]): Promise<boolean> {
  const [file, ...args] = [...command, process.execPath, '--version'];
  if (file === undefined) return false;
  try {
    await run(file, args, { env: {}, timeout: probeTimeoutMs, killSignal: 'SIGKILL' });
    return true;
  } catch {
    return false;
  }
}

/** Finds, by trying, the strongest command to start a child behind. Each tool replaces itself, so the pid stays. */
export async function probeBoundary(): Promise<BoundaryCommand> {
  const [unshare, setpriv, prlimit] = [find('unshare'), find('setpriv'), find('prlimit')];
  const namespaces = [
    { name: 'user+network' as const, args: ['--user', '--map-root-user', '--net', '--ipc', '--uts', '--'] },
    { name: 'user+network' as const, args: ['--user', '--map-root-user', '--net', '--'] },
    { name: 'network' as const, args: ['--net', '--'] },
  ];
  const prefix: string[] = [];
  const boundary: OsBoundary = { namespaces: 'none', noNewPrivileges: false, resourceLimits: false };

  for (const { name, args } of unshare === undefined ? [] : namespaces) {
    const candidate = [unshare as string, ...args];
    if (await works(candidate)) {
      prefix.push(...candidate);
      boundary.namespaces = name;
      break;
    }
  }
  const withoutCapabilities = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  for (const args of setpriv === undefined ? [] : [withoutCapabilities, ['--no-new-privs']]) {
    const candidate = [setpriv as string, ...args, '--'];
    if (await works([...prefix, ...candidate])) {
      prefix.push(...candidate);
      boundary.noNewPrivileges = true;
      break;
    }
  }
  if (prlimit !== undefined) {
    // No bound on memory: V8 reserves half a gigabyte for code with every isolate, and every kind counts it. The runtime
    // looks at resident memory instead.
    const candidate = [prlimit, '--core=0', '--fsize=0', '--nofile=64', '--'];
    if (await works([...prefix, ...candidate])) {
      prefix.push(...candidate);
      boundary.resourceLimits = true;
    }
  }
  return { boundary, prefix };
}

export interface BoundaryPolicy {
  /** Refuse to start where the host offers no namespaces. */
  production?: boolean;
  /** Start nevertheless: another boundary (a container, a virtual machine) is around the whole process. */
  allowNoOsBoundary?: boolean;
}

export const boundaryPolicy = (env: Pick<Env, 'NODE_ENV' | 'SANDBOX_ALLOW_NO_OS_BOUNDARY'>): BoundaryPolicy => ({
  production: env.NODE_ENV === 'production',
  allowNoOsBoundary: env.SANDBOX_ALLOW_NO_OS_BOUNDARY,
});

/** Throws when production has no boundary and was not told that this is intended. */
export function requireBoundary({ namespaces }: OsBoundary, policy: BoundaryPolicy): void {
  if (policy.production !== true || policy.allowNoOsBoundary === true || namespaces !== 'none') return;
  throw new Error(
    'This host offers no network namespace for the node sandbox (unshare --user --net fails). Allow unprivileged user namespaces, or set SANDBOX_ALLOW_NO_OS_BOUNDARY=1 if a container or virtual machine already confines this process.',
  );
}
