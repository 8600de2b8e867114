import { parseArgs } from 'node:util';
import type { ParseArgsOptionDescriptor } from 'node:util';

/** The output, environment and directory of a command; tests pass their own. */
export interface CommandIo {
  out(text: string): void;
  err(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** True if `err` is a terminal, so that a progress bar makes sense. */
  isTerminal?: boolean;
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** One line for --help. */
  about: string;
}

export type CommandValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/**
 * One command of the CLI. `run` returns the exit code (0 success, 1 failure, 2 wrong usage) or throws CommandError. With
 * `--json`, `values.json` is true and `run` writes one JSON document to `io.out` and nothing else.
 */
export interface Command {
  /** The arguments after the name: `<folder> [options]`. */
  usage: string;
  options: Readonly<Record<string, CommandOption>>;
  run(values: CommandValues, positionals: readonly string[], io: CommandIo): Promise<number>;
}

/** A command with the name and the summary of the list. */
interface NamedCommand extends Command {
  /** The name as typed after `causeway`: `node init`. */
  name: string;
  summary: string;
}

/** Ends a command with a message for the user. `--json` output includes `details`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: { exitCode?: number; details?: Record<string, unknown> } = {}) {
    super(message);
    this.exitCode = options.exitCode ?? 1;
    this.details = options.details ?? {};
  }
}

const common: Readonly<Record<string, CommandOption>> = {
  json: { type: 'boolean', about: 'Write one JSON document instead of text.' },
  help: { type: 'boolean', short: 'h', about: 'Show this help.' },
};

/** How the user called the CLI: the archive's command says it, and inside the repository the command is not on the PATH. */
export const calledAs = ({ env }: Pick<CommandIo, 'env'>): string =>
  env['CAUSEWAY_CLI'] ?? (env['npm_lifecycle_event'] === 'causeway' ? 'npm run -s causeway --' : 'causeway');

/** A text option, or undefined when it was left out. */
export function textOption(values: CommandValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses the arguments, handles --help, runs the command and turns errors into a message and an exit code. */
export async function runCommand(command: NamedCommand, argv: readonly string[], io: CommandIo): Promise<number> {
  const options = { ...command.options, ...common };
  let json = argv.includes('--json');
  try {
    const { values, positionals } = parse(command, options, argv, io);
    json = values.json === true;
    if (values.help === true) {
      io.out(formatHelp(command, options));
      return 0;
    }
    return await command.run(values, positionals, io);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (json) io.out(`${JSON.stringify({ error: { message: error.message, ...error.details } })}\n`);
    else io.err(`${error.message}\n`);
    return error.exitCode;
  }
}

function parse(
  command: NamedCommand,
  options: Readonly<Record<string, CommandOption>>,
  argv: readonly string[],
  io: CommandIo,
): { values: CommandValues; positionals: string[] } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The arguments cannot be read.';
    throw new CommandError(`${reason}\nSee ${calledAs(io)} ${command.name} --help.`, { exitCode: 2 });
  }
}

function formatHelp(command: NamedCommand, options: Readonly<Record<string, CommandOption>>): string {
  const rows = Object.entries(options).map(([name, { short, type, about, multiple }]) => {
    const flag = `${short === undefined ? '    ' : `-${short}, `}--${name}${type === 'string' ? ' <value>' : ''}`;
    return [flag, multiple === true ? `${about} May be repeated.` : about] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const lines = rows.map(([flag, about]) => `  ${flag.padEnd(width)}  ${about}`);
  return `${command.summary}\n\nUsage: causeway ${command.name} ${command.usage}\n\nOptions:\n${lines.join('\n')}\n`;
}
