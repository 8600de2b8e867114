import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** The file in the package that an import resolves to, or why it does not resolve. */
export type Resolution = { path: string } | { reason: string };

type Files = ReadonlyMap<string, Buffer>;

const extensions = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.cts', '.json'];

/** TypeScript sources import the name of the compiled file. */
const compiledFrom: Record<string, string[]> = { '.js': ['.ts'], '.mjs': ['.mts'], '.cjs': ['.cts'] };

const conditions = new Set(['import', 'module', 'default']);

/**
 * Resolves an import against the package's own files, including its bundled `node_modules`: relative paths, and bare names by
 * `exports`, `module` or `main`. Never looks outside the archive.
 */
export function resolveModule(files: Files, specifier: string, importer: string): Resolution {
  if (specifier.includes('\0') || specifier.includes('\\')) return { reason: 'holds characters no path has' };
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier) && !specifier.startsWith('node:')) {
    return { reason: 'is a URL; bundle the module in the package instead' };
  }
  if (specifier.startsWith('/'))
    return { reason: 'is an absolute path; import by a path relative to the importing file' };
  if (/^\.\.?(\/|$)/.test(specifier)) return fromRelative(files, specifier, posix.dirname(importer));
  if (specifier.startsWith('#')) return { reason: 'is a subpath import; import by a relative path' };
  return fromNodeModules(files, specifier, posix.dirname(importer));
}

function fromRelative(files: Files, specifier: string, folder: string): Resolution {
  const path = posix.normalize(posix.join(folder, specifier));
  if (path === '..' || path.startsWith('../')) return { reason: 'leaves the package' };
  const found = asFile(files, path.replace(/\/$/, '')) ?? asFolder(files, path.replace(/\/$/, ''));
  return found === undefined ? { reason: 'is not in the package' } : { path: found };
}

function asFile(files: Files, path: string): string | undefined {
  if (files.has(path)) return path;
  const extension = posix.extname(path);
  const sources = (compiledFrom[extension] ?? []).map((source) => path.slice(0, -extension.length) + source);
  return [...sources, ...extensions.map((added) => path + added)].find((candidate) => files.has(candidate));
}

function asFolder(files: Files, path: string): string | undefined {
  const inFolder = (file: string): string => (path === '' || path === '.' ? file : `${path}/${file}`);
  const { module, main } = packageJson(files, path);
  for (const entry of [module, main]) {
    if (typeof entry !== 'string') continue;
    const target = posix.normalize(inFolder(entry));
    if (target.startsWith('../')) continue;
    const found = asFile(files, target) ?? asFile(files, `${target}/index`);
    if (found !== undefined) return found;
  }
  return asFile(files, inFolder('index'));
}

function fromNodeModules(files: Files, specifier: string, folder: string): Resolution {
  const [, name, subpath = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name !== undefined && !name.split('/').some((part) => part === '.' || part === '..')) {
    for (let at = folder; ; at = posix.dirname(at)) {
      const root = at === '.' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (files.has(`${root}/package.json`)) return inPackage(files, root, subpath);
      if (at === '.' || at === '/' || at === '') break;
    }
  }
  return isBuiltin(specifier)
    ? { reason: 'is a Node built-in, which node code cannot use; use what ctx offers (ctx.http, ctx.state, ctx.log)' }
    : { reason: 'is not bundled in the package; list it in bundledDependencies and pack again' };
}

function inPackage(files: Files, root: string, subpath: string): Resolution {
  const { exports } = packageJson(files, root);
  const target =
    exports === undefined || exports === null
      ? subpath === ''
        ? asFolder(files, root)
        : (asFile(files, `${root}/${subpath}`) ?? asFolder(files, `${root}/${subpath}`))
      : exported(files, root, exports, subpath === '' ? '.' : `./${subpath}`);
  const clean = target === undefined ? undefined : posix.normalize(target);
  if (clean === undefined || !clean.startsWith(`${root}/`) || !files.has(clean)) {
    return { reason: `is not exported by the bundled package in ${root}` };
  }
  return { path: clean };
}

function exported(files: Files, root: string, exports: unknown, subpath: string): string | undefined {
  const table =
    isTable(exports) && Object.keys(exports).some((key) => key.startsWith('.')) ? exports : { '.': exports };
  if (Object.hasOwn(table, subpath)) return asTarget(root, table[subpath], '');
  for (const [pattern, target] of Object.entries(table)) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
    const matched = subpath.slice(before.length, subpath.length - after.length);
    const found = asTarget(root, target, matched);
    if (found !== undefined && files.has(posix.normalize(found))) return found;
  }
  return undefined;
}

function asTarget(root: string, target: unknown, matched: string, depth = 0): string | undefined {
  if (typeof target === 'string')
    return target.startsWith('./') ? `${root}/${target.slice(2).replaceAll('*', matched)}` : undefined;
  if (depth > 8) return undefined;
  if (Array.isArray(target)) return asTarget(root, target[0], matched, depth + 1);
  if (!isTable(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = conditions.has(condition) ? asTarget(root, inner, matched, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function packageJson(files: Files, folder: string): Record<string, unknown> {
  const content = files.get(folder === '' || folder === '.' ? 'package.json' : `${folder}/package.json`);
  try {
    const parsed: unknown = content === undefined ? {} : JSON.parse(content.toString('utf8'));
    return isTable(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
