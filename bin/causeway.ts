import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCommand, type Command, type CommandIo } from './command.ts';

interface ListedCommand {
  /** Its line in the list, and the first line of its --help. */
  summary: string;
  load: () => Promise<Command>;
}

/** Every command by its name. Its module is imported when it is called, so that no command slows down another or the list. */
const commands: Readonly<Record<string, ListedCommand>> = {
  token: {
    summary: 'Print a token from the development issuer.',
    load: async () => (await import('./commands/token.ts')).command,
  },
  demo: {
    summary: 'Place an order in the demo shop and follow it to the ERP and back.',
    load: async () => (await import('./commands/demo/demo.ts')).command,
  },
  'demo theme': {
    summary: 'Install a theme and an extension in the demo shop, and serve its pages until Ctrl-C.',
    load: async () => (await import('./commands/demo/theme.ts')).command,
  },
  migrate: {
    summary: 'Migrate the database of DATABASE_URL, or else the one in DATA_DIR.',
    load: async () => (await import('./commands/migrate.ts')).command,
  },
  'check-database': {
    summary: 'Ask a database for every feature that Causeway uses, and say what would break.',
    load: async () => (await import('./commands/check-database.ts')).command,
  },
  'event-order': {
    summary: 'Print or change how events are put in order: by snapshot, or by sequence where a server lacks that.',
    load: async () => (await import('./commands/event-order.ts')).command,
  },
  'api-key create': {
    summary: 'Make an API key of a tenant and print it; it is not shown again.',
    load: async () => (await import('./commands/api-keys.ts')).create,
  },
  'api-key list': {
    summary: 'Print the API keys of a tenant, without their secrets.',
    load: async () => (await import('./commands/api-keys.ts')).list,
  },
  'api-key rotate': {
    summary: 'Print a new API key in place of one, which stays good for a while.',
    load: async () => (await import('./commands/api-keys.ts')).rotate,
  },
  'api-key revoke': {
    summary: 'End an API key at once.',
    load: async () => (await import('./commands/api-keys.ts')).revoke,
  },
  'org create': {
    summary: 'Create an organisation, in the database or through a running server.',
    load: async () => (await import('./commands/tenancy.ts')).orgCreate,
  },
  'tenant create': {
    summary: 'Create a tenant of an organisation, in the database or through a running server.',
    load: async () => (await import('./commands/tenancy.ts')).tenantCreate,
  },
  'tenant export': {
    summary: 'Write an archive of a tenant that moves to another installation: its history, or with --close the rest.',
    load: async () => (await import('./commands/tenant-moves.ts')).tenantExport,
  },
  'tenant import': {
    summary: 'Load the archive of a tenant, compare its sums with the source, and open the tenant here.',
    load: async () => (await import('./commands/tenant-moves.ts')).tenantImport,
  },
  'tenant reopen': {
    summary: 'End the move of a tenant that stays: its writes are accepted again.',
    load: async () => (await import('./commands/tenant-moves.ts')).tenantReopen,
  },
  'tenant forget': {
    summary: 'Delete a tenant that has moved away, or one that has not arrived completely.',
    load: async () => (await import('./commands/tenant-moves.ts')).tenantForget,
  },
  'tenant sums': {
    summary: 'Print how many rows a tenant has in each table, and their sum, to compare two installations.',
    load: async () => (await import('./commands/tenant-moves.ts')).tenantSums,
  },
  'keys generate': {
    summary: 'Print a new key for CREDENTIALS_KEY or SECRETS_KEY.',
    load: async () => (await import('./commands/keys.ts')).generate,
  },
  'keys rotate': {
    summary: 'Encrypt credentials and secrets with new keys, without downtime.',
    load: async () => (await import('./commands/keys.ts')).rotate,
  },
  'keys status': {
    summary: 'Show which keys the database needs, and whether they are configured.',
    load: async () => (await import('./commands/keys.ts')).status,
  },
  import: {
    summary: 'Import a file by an import profile, and write what is rejected beside it.',
    load: async () => (await import('./commands/bulk/import.ts')).command,
  },
  export: {
    summary: 'Export stock, prices, organizations, contacts, products or orders to a file.',
    load: async () => (await import('./commands/bulk/export.ts')).command,
  },
  attention: {
    summary: 'Print what needs a person: dead letters, disabled destinations, failed imports, credentials, jobs.',
    load: async () => (await import('./commands/attention.ts')).command,
  },
  search: {
    summary: 'Find workflows, runs, orders, products, customers, triggers and API keys of a tenant.',
    load: async () => (await import('./commands/search.ts')).command,
  },
  'runs test': {
    summary: 'Start a test run of a workflow or its draft, and follow it to its end.',
    load: async () => (await import('./commands/run-test.ts')).test,
  },
  'runs steps': {
    summary: 'Print the steps of a run, by node, status or path.',
    load: async () => (await import('./commands/run-steps.ts')).command,
  },
  'runs retry': {
    summary: 'Retry the failed runs of a filter as one bulk action.',
    load: async () => (await import('./commands/bulk-actions/runs.ts')).retry,
  },
  'runs rerun': {
    summary: 'Run the ended runs of a filter again as one bulk action.',
    load: async () => (await import('./commands/bulk-actions/runs.ts')).rerun,
  },
  'runs cancel': {
    summary: 'Cancel the runs of a filter that have not ended, as one bulk action.',
    load: async () => (await import('./commands/bulk-actions/runs.ts')).cancel,
  },
  'dead-letters replay': {
    summary: 'Replay the pending dead letters of a filter as one bulk action.',
    load: async () => (await import('./commands/bulk-actions/dead-letters.ts')).replay,
  },
  'dead-letters discard': {
    summary: 'Discard the pending dead letters of a filter as one bulk action.',
    load: async () => (await import('./commands/bulk-actions/dead-letters.ts')).discard,
  },
  'failed-jobs retry': {
    summary: 'Put the failed jobs of a filter back into their queues as one bulk action; for operators.',
    load: async () => (await import('./commands/bulk-actions/failed-jobs.ts')).retry,
  },
  'nodes upgrades': {
    summary: 'Print the nodes of all workflows that have a newer version, and whether their config is valid there.',
    load: async () => (await import('./commands/nodes/upgrades.ts')).command,
  },
  'errors list': {
    summary: 'Print the error groups of a tenant: what fails alike, how often and since when.',
    load: async () => (await import('./commands/bulk-actions/errors.ts')).list,
  },
  'errors mute': {
    summary: 'Hide an error group until it recurs.',
    load: async () => (await import('./commands/bulk-actions/errors.ts')).mute,
  },
  'errors resolve': {
    summary: 'Mark an error group as repaired; its next failure opens it.',
    load: async () => (await import('./commands/bulk-actions/errors.ts')).resolve,
  },
  'errors assign': {
    summary: 'Say who looks after an error group.',
    load: async () => (await import('./commands/bulk-actions/errors.ts')).assign,
  },
  'errors reopen': {
    summary: 'Take back that an error group was muted or resolved.',
    load: async () => (await import('./commands/bulk-actions/errors.ts')).reopen,
  },
  'transfer list': {
    summary: 'Print the import and export schedules of a tenant, and what is wrong with them.',
    load: async () => (await import('./commands/transfers.ts')).list,
  },
  'transfer run': {
    summary: 'Run an import or export schedule now.',
    load: async () => (await import('./commands/transfers.ts')).run,
  },
  'stock verify': {
    summary: 'Compare stock balances with the sums of the ledger; exit code 1 where any differ.',
    load: async () => (await import('./commands/stock-verify.ts')).command,
  },
  'customer export': {
    summary:
      'Write everything about a contact as JSON: its orders, and what runs, deliveries, imports and the audit log say.',
    load: async () => (await import('./commands/customer/export.ts')).command,
  },
  'customer erase': {
    summary:
      'Erase a contact from its orders, runs, deliveries, imports and the audit log, and list what remains and why.',
    load: async () => (await import('./commands/customer/erase.ts')).command,
  },
  'webhooks listen': {
    summary: 'Receive, verify and print webhook deliveries on this machine.',
    load: async () => (await import('./commands/webhooks-listen.ts')).command,
  },
  'node from': {
    summary:
      'Make a package of nodes from the description of an API: OpenAPI, Postman, OData, GraphQL, WSDL or AsyncAPI.',
    load: async () => (await import('./commands/node/from.ts')).command,
  },
  'node init': {
    summary: 'Create a node package: a node, its manifest and its test.',
    load: async () => (await import('./commands/node/init.ts')).command,
  },
  'node pack': {
    summary: 'Check a node package and write its archive.',
    load: async () => (await import('./commands/node/pack.ts')).command,
  },
  'node publish': {
    summary: 'Check a node package and upload it to a Causeway server.',
    load: async () => (await import('./commands/node/publish.ts')).command,
  },
  'node test': {
    summary: 'Check a node package like an upload, then run its tests.',
    load: async () => (await import('./commands/node/test.ts')).command,
  },
  'extension init': {
    summary: 'Create a theme extension: a block, its settings and its assets.',
    load: async () => (await import('./commands/extension/init.ts')).command,
  },
  'extension validate': {
    summary: 'Check a theme extension as its registration would, and name each fault.',
    load: async () => (await import('./commands/extension/inspect.ts')).validate,
  },
  'extension dev': {
    summary: 'Serve a theme extension, with a page that shows each block beside a form of its settings.',
    load: async () => (await import('./commands/extension/dev.ts')).command,
  },
  'extension hash': {
    summary: "Print the integrity map of a theme extension's assets.",
    load: async () => (await import('./commands/extension/inspect.ts')).hash,
  },
  'extension register': {
    summary: 'Register the version of a theme extension that runs at an address.',
    load: async () => (await import('./commands/extension/register.ts')).command,
  },
};

/** Runs the command that `argv` (without node and script) names and returns the exit code. */
export async function runCauseway(argv: readonly string[], io: CommandIo): Promise<number> {
  const [first = '', second = ''] = argv;
  if (['--version', '-v', 'version'].includes(first)) return printVersion(argv.includes('--json'), io);
  for (const [name, words] of [[`${first} ${second}`, 2] as const, [first, 1] as const]) {
    const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!listed) continue;
    const { summary, load } = listed;
    return runCommand({ ...(await load()), name, summary }, argv.slice(words), io);
  }
  const group = Object.keys(commands).filter((name) => name.startsWith(`${first} `));
  const asked = ['', '--help', '-h', 'help'].includes(first) || (group.length > 0 && ['--help', '-h'].includes(second));
  const text = listing(group.length > 0 ? group : Object.keys(commands));
  if (asked) io.out(text);
  else io.err(`There is no command "${argv.slice(0, 2).join(' ')}".\n\n${text}`);
  return asked ? 0 : 2;
}

function printVersion(json: boolean, io: CommandIo): number {
  const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
  io.out(json ? `${JSON.stringify({ version })}\n` : `causeway ${version}\n`);
  return 0;
}

function listing(names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${commands[name]?.summary}`);
  return `Usage: causeway <command> [options]\n\nCommands:\n${lines.join('\n')}\n\nEvery command has --help and --json; causeway --version prints the version. In this repository, causeway is: npm run -s causeway -- <command>\n`;
}

if (import.meta.main) {
  // Modules of commands are imported after this. Not set as a variable of the script, because child processes would inherit that.
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/causeway', import.meta.url)));
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
