import { type ImportDeclaration, parse } from 'acorn';
import { build, type Plugin } from 'esbuild';

/** A script of the bundle. */
export interface Script {
  text: string;
  exports: readonly string[];
}

/**
 * Joins the scripts that the page loads before anything is shown into its entry: one request instead of forty, and a better compression. The
 * bundler makes a script of each set of modules that the same screens share, however small it is. The other scripts then import from the
 * entry what they imported from the joined ones. Returns the remaining scripts by name.
 */
export async function joinFirstView(
  scripts: ReadonlyMap<string, Script>,
  { entry, imports }: { entry: string; imports: readonly string[] },
): Promise<Map<string, string>> {
  const joined = new Set([entry, ...imports]);
  const alias = (script: string, name: string) => `${imports.indexOf(script)}:${name}`;
  const reexports = imports.map((script) => {
    const names = scripts.get(script)?.exports ?? [];
    return `export {${names.map((name) => `${name} as ${JSON.stringify(alias(script, name))}`).join()}} from "./${script}";`;
  });
  const { outputFiles } = await build({
    stdin: { contents: [`import "./${entry}";`, ...reexports].join('\n') },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
    plugins: [readJoined(scripts, joined)],
  });
  const rest = [...scripts].filter(([name]) => !joined.has(name));
  return new Map([
    [entry, outputFiles[0]?.text ?? ''],
    ...rest.map(([name, { text }]): [string, string] => [name, importFromEntry(text, { entry, joined, alias })]),
  ]);
}

/** Lets the bundler read the scripts that are joined, and leave the others where they are. */
const readJoined = (scripts: ReadonlyMap<string, Script>, joined: ReadonlySet<string>): Plugin => ({
  name: 'joined',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\// }, ({ path }) =>
      joined.has(path.slice(2)) ? { path: path.slice(2), namespace: 'joined' } : { path, external: true },
    );
    bundler.onLoad({ filter: /.*/, namespace: 'joined' }, ({ path }) => ({ contents: scripts.get(path)?.text ?? '' }));
  },
});

/** The text of a script in which each import from a joined script is one from the entry. */
function importFromEntry(
  text: string,
  {
    entry,
    joined,
    alias,
  }: { entry: string; joined: ReadonlySet<string>; alias: (script: string, name: string) => string },
): string {
  const { body } = parse(text, { ecmaVersion: 2024, sourceType: 'module' });
  const from = (node: ImportDeclaration) => String(node.source.value).slice(2);
  const imports = body.filter((node) => node.type === 'ImportDeclaration').filter((node) => joined.has(from(node)));
  return imports.reduceRight((rewritten, node) => {
    const names = node.specifiers.map((specifier) => {
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') {
        throw new Error(`The bundler imports ${from(node)} in a way that is not known here.`);
      }
      return `${JSON.stringify(alias(from(node), specifier.imported.name))} as ${specifier.local.name}`;
    });
    // An import without names only makes the other script run first. The entry does so anyway, and where it awaits this script, each would
    // wait for the other.
    const line = names.length === 0 ? '' : `import{${names.join()}}from"./${entry}";`;
    return rewritten.slice(0, node.start) + line + rewritten.slice(node.end);
  }, text);
}
