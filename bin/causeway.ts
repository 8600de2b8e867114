import { runCommand } from './command.ts';
import type { Command, CommandIo } from './command.ts';

/** Every command by its name. Each is loaded only when it is called, so that one does not slow down another. */
const commands: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  token: () => import('./commands/token.ts'),
  demo: () => import('./commands/demo.ts'),
  'demo theme': () => import('./commands/demo-theme.ts'),
  migrate: () => import('./commands/migrate.ts'),
  'api-key create': () => import('./commands/api-key-create.ts'),
  'api-key list': () => import('./commands/api-key-list.ts'),
  'api-key rotate': () => import('./commands/api-key-rotate.ts'),
  'api-key revoke': () => import('./commands/api-key-revoke.ts'),
  'org create': () => import('./commands/org-create.ts'),
  'tenant create': () => import('./commands/tenant-create.ts'),
  'keys generate': () => import('./commands/keys-generate.ts'),
  'keys rotate': () => import('./commands/keys-rotate.ts'),
  'keys status': () => import('./commands/keys-status.ts'),
  import: () => import('./commands/import.ts'),
  export: () => import('./commands/export.ts'),
  'transfer list': () => import('./commands/transfer-list.ts'),
  'transfer run': () => import('./commands/transfer-run.ts'),
  'stock verify': () => import('./commands/stock-verify.ts'),
  'webhooks listen': () => import('./commands/webhooks-listen.ts'),
  'node init': () => import('./commands/node-init.ts'),
  'node pack': () => import('./commands/node-pack.ts'),
  'node publish': () => import('./commands/node-publish.ts'),
  'node test': () => import('./commands/node-test.ts'),
  'extension init': () => import('./commands/extension-init.ts'),
  'extension validate': () => import('./commands/extension-validate.ts'),
  'extension dev': () => import('./commands/extension-dev.ts'),
  'extension hash': () => import('./commands/extension-hash.ts'),
  'extension register': () => import('./commands/extension-register.ts'),
};

/** Runs the command that `argv` (without node and script) names and returns the exit code. */
export async function runCauseway(argv: readonly string[], io: CommandIo): Promise<number> {
  const [first = '', second = ''] = argv;
  for (const [name, words] of [[`${first} ${second}`, 2] as const, [first, 1] as const]) {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load !== undefined) return runCommand((await load()).command, argv.slice(words), io);
  }
  const asked = ['', '--help', '-h', 'help'].includes(first) || second === '--help';
  const text = await listing();
  if (asked) io.out(text);
  else io.err(`There is no command "${argv.slice(0, 2).join(' ')}".\n\n${text}`);
  return asked ? 0 : 2;
}

async function listing(): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()));
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = loaded.map(({ command }) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `Usage: causeway <command> [options]\n\nCommands:\n${lines.join('\n')}\n\nEvery command has --help and --json. In this repository, causeway is: npm run -s causeway -- <command>\n`;
}

if (import.meta.main) {
  // A reader that closes the pipe, such as `head`, wants no more output.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.exitCode = await runCauseway(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    // npm changes to the package's folder; INIT_CWD is the folder it was called in.
    cwd: process.env.INIT_CWD ?? process.cwd(),
    isTerminal: process.stderr.isTTY,
  });
}
