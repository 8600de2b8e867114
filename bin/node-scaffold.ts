const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The files of a new node package, by path. `kit` is the npm specifier of the authoring kit. */
export function scaffoldFiles({ namespace, kit }: { namespace: string; kit: string }): Record<string, string> {
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
      description: 'Greets whoever the config names.',
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
