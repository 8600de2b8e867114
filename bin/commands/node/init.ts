import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { calledAs, CommandError, textOption, type Command } from '#bin/command.ts';
import { kitFolder } from '#bin/kits.ts';

export const command: Command = {
  usage: '<folder> [options]',
  options: {
    namespace: { type: 'string', about: "Prefix of the package's slugs; derived from the folder's name by default." },
  },
  async run(values, [folder], io) {
    if (folder === undefined)
      throw new CommandError(`Name the folder to create: ${calledAs(io)} node init my-nodes`, { exitCode: 2 });
    const path = resolve(io.cwd, folder);
    const namespace = textOption(values, 'namespace') ?? namespaceFrom(basename(path));
    const isName = namespace.length <= 63 && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(namespace);
    if (!isName || ['core', 'commerce'].includes(namespace)) {
      const rule = 'use at most 63 lower-case letters, digits and dashes, and neither core nor commerce';
      throw new CommandError(`"${namespace}" cannot be a namespace: ${rule}. Choose one with --namespace.`, {
        exitCode: 2,
      });
    }
    const present = await readdir(path).catch(() => []);
    if (present.length > 0) throw new CommandError(`${path} is not empty; name a new folder.`);

    // Links the kit beside this CLI, so that an editor finds its types after `npm install` without a registry.
    const files = scaffoldFiles({ namespace, kit: `file:${relative(path, kitFolder('node-kit'))}` });
    for (const [file, content] of Object.entries(files)) {
      await mkdir(join(path, dirname(file)), { recursive: true });
      await writeFile(join(path, file), content, { flag: 'wx' });
    }
    const created = Object.keys(files);
    if (values.json === true) io.out(`${JSON.stringify({ folder: path, namespace, files: created })}\n`);
    else
      io.out(
        `${created.map((file) => `${join(folder, file)}\n`).join('')}\nNow: ${calledAs(io)} node test ${folder}\n`,
      );
    return 0;
  },
};

const namespaceFrom = (folder: string): string =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .replace(/-?nodes?$/, '');

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The files of a new node package, by path. `kit` is the npm specifier of the authoring kit. */
function scaffoldFiles({ namespace, kit }: { namespace: string; kit: string }): Record<string, string> {
  return {
    'package.json': json({
      name: `${namespace}-nodes`,
      version: '0.1.0',
      private: true,
      type: 'module',
      causeway: 'causeway.json',
      files: ['causeway.json', 'nodes'],
      devDependencies: { '@causeway/node-kit': kit },
    }),
    'causeway.json': json({ namespace, label: `${namespace} nodes`, nodes: ['nodes/greet.node.json'] }),
    'nodes/greet.node.json': json({
      manifest_version: 'v0-draft',
      slug: `${namespace}:greet`,
      version: '0.1.0',
      name: 'Greet',
      description: 'Greets the person whom the config names.',
      kind: 'transform',
      config: [{ key: 'name', type: 'string', label: 'Name', required: true }],
      outputs: [{ name: 'greeting', type: 'string' }],
      entry: 'nodes/greet.ts',
    }),
    'nodes/greet.ts': `import { defineNode } from '@causeway/node-kit';

export const { execute } = defineNode<{ name: string }, { greeting: string }>({
  async execute(ctx) {
    ctx.log.info('Greeting', ctx.config.name);
    return { outputs: { greeting: \`Hello, \${ctx.config.name}.\` } };
  },
});
`,
    'test/greet.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runNode } from '@causeway/node-kit/testing';
import * as greet from '../nodes/greet.ts';

test('greets by name', async () => {
  const { outputs } = await runNode(greet, { config: { name: 'Ada' } });
  assert.equal(outputs.greeting, 'Hello, Ada.');
});
`,
    'README.md': `# ${namespace} nodes

    npm install                types for the editor, from the kit beside the CLI; nothing else needs it
    causeway node test .       check the package and run its tests
    causeway node pack .       write the archive
    causeway node publish .    upload it (--org, CAUSEWAY_URL, CAUSEWAY_TOKEN)

In Causeway's repository, run them from its root, with this folder's path for the dot:
\`npm run -s causeway -- node test <folder>\`.
`,
  };
}
