import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Env } from '#src/process/env.ts';
import { minimalRootScript } from './minimal-root.ts';
import { killNow, programPid } from './program-pid.ts';
import { program, programFiles } from './program.ts';
import type { Visible } from './program.ts';

/**
 * The isolation that the operating system adds around a child. `namespaces` is the boundary that counts: with all of them a process that
 * got out of V8 sees no file, no process and no network of the host. The others only narrow what is left.
 */
export type OsBoundary = {
  namespaces: 'all' | 'network' | 'none';
  /** True when the child runs as another user than the server. */
  ownUser: boolean;
  noNewPrivileges: boolean;
  resourceLimits: boolean;
};

export type BoundaryCommand = { boundary: OsBoundary; prefix: string[] };

const folders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const probeTimeoutMs = 10_000;
/** `nobody`: owns no files, and in a PID namespace no other process runs as this user. */
const nobody = 65_534;
const separate = ['--net', '--ipc', '--uts'];

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

/** Starts the program behind the prefix and waits for its first message. */
function works(prefix: string[]): Promise<boolean> {
  const [file = process.execPath, ...args] = [...prefix, ...program];
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(file, [...args, '{}'], { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  let isReady = false;
  const kill = (): void => {
    if (child.pid !== undefined) killNow(programPid(child.pid));
  };
  const timer = setTimeout(kill, probeTimeoutMs);
  child.stdin.on('error', kill);
  child.stdout.on('data', () => {
    isReady = true;
    kill();
  });
  child.on('error', () => resolve(false));
  child.on('exit', () => {
    clearTimeout(timer);
    resolve(isReady);
  });
  return promise;
}

async function firstThatWorks(candidates: BoundaryCommand[]): Promise<BoundaryCommand | undefined> {
  for (const candidate of candidates) if (await works(candidate.prefix)) return candidate;
  return undefined;
}

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Namespaces of every kind around a root that holds only what is visible. Root starts them itself and hands over to
 * `nobody`; any other user needs a user namespace, and a second one inside, whose user is not root, to lose the
 * capabilities that the first one gives. `unshare` forks once and stays.
 */
function isolated(visible: Visible): BoundaryCommand[] {
  const [prlimit, setpriv, unshare, sh] = ['prlimit', 'setpriv', 'unshare', 'sh'].map(find);
  const [mount, mkdir, env] = ['mount', 'mkdir', 'env'].map(find);
  if (prlimit === undefined || setpriv === undefined || unshare === undefined || sh === undefined) return [];
  if (mount === undefined || mkdir === undefined || env === undefined) return [];

  const command = (entry: string[], exit: string[], ownUser: boolean): BoundaryCommand => {
    const bound = [prlimit, '--core=0', '--nofile=64', '--', setpriv, '--no-new-privs', '--'];
    const apart = [unshare, ...entry, '--mount', '--pid', ...separate, '--fork', '--kill-child', '--'];
    const rooted = [sh, '-c', minimalRootScript({ unshare, mount, mkdir, env }, visible, exit), 'sh'];
    return {
      boundary: { namespaces: 'all', ownUser, noNewPrivileges: true, resourceLimits: true },
      prefix: [...bound, ...apart, ...rooted],
    };
  };
  const asUser = command(['--user', '--map-root-user'], [`--map-user=${nobody}`, `--map-group=${nobody}`], false);
  return isRoot() ? [command([], [`--setuid=${nobody}`, `--setgid=${nobody}`], true), asUser] : [asUser];
}

/** For hosts without mount namespaces: each tool that works is a prefix of the next. */
async function narrowed(): Promise<BoundaryCommand> {
  const [unshare, setpriv, prlimit] = [find('unshare'), find('setpriv'), find('prlimit')];
  const boundary: OsBoundary = { namespaces: 'none', ownUser: false, noNewPrivileges: false, resourceLimits: false };
  let best: BoundaryCommand = { boundary, prefix: [] };
  const add = async (tool: string | undefined, lists: { args: string[]; gains: Partial<OsBoundary> }[]) => {
    if (tool === undefined) return;
    const candidates = lists.map(({ args, gains }) => ({
      boundary: { ...best.boundary, ...gains },
      prefix: [...best.prefix, tool, ...args, '--'],
    }));
    best = (await firstThatWorks(candidates)) ?? best;
  };
  await add(unshare, [
    { args: separate, gains: { namespaces: 'network' } },
    { args: ['--user', '--map-root-user', ...separate], gains: { namespaces: 'network' } },
  ]);
  const bare = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
  const asNobody = [...bare, `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  await add(setpriv, [
    ...(isRoot() ? [{ args: asNobody, gains: { noNewPrivileges: true, ownUser: true } }] : []),
    { args: bare, gains: { noNewPrivileges: true } },
    { args: ['--no-new-privs'], gains: { noNewPrivileges: true } },
  ]);
  // No limit on memory: V8 reserves half a gigabyte for code with every isolate, and every kind of limit counts that. The runtime checks
  // resident memory instead.
  await add(prlimit, [{ args: ['--core=0', '--fsize=0', '--nofile=64'], gains: { resourceLimits: true } }]);
  return best;
}

/** Finds by trial the strongest prefix for the command of a child. `more` lists further files that are visible in its root. */
export async function probeBoundary(more: string[] = []): Promise<BoundaryCommand> {
  if (process.platform !== 'linux') return narrowed();
  const visible = await programFiles();
  const files = [...visible.files, ...more];
  return (await firstThatWorks(isolated({ ...visible, files }))) ?? narrowed();
}

let known: BoundaryCommand | undefined;

/** The boundary of this host, cached because a trial costs as much as starting a child. */
export async function hostBoundary(): Promise<BoundaryCommand> {
  const found = known ?? (await probeBoundary());
  if (found.boundary.namespaces === 'all') known = found;
  return found;
}

export interface BoundaryPolicy {
  /** Refuse to start if the host does not offer every namespace. */
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
  if (policy.production !== true || policy.allowNoOsBoundary === true || namespaces === 'all') return;
  throw new Error(
    'This host does not let the node sandbox have files, processes and a network of its own (`unshare --user --map-root-user --mount --pid --net --fork true` fails, or util-linux is older than 2.36). Allow unprivileged user namespaces, or set SANDBOX_ALLOW_NO_OS_BOUNDARY=1 if a container or virtual machine already confines this process.',
  );
}
