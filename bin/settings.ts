import { type Env, misspelledSettings, readEnv } from '#src/process/env.ts';
import { CommandError, type CommandIo } from './command.ts';

/** The settings that a server started in this environment would have. */
export function readSettings(io: CommandIo): Env {
  for (const sentence of misspelledSettings(io.env)) io.err(`${sentence}\n`);
  try {
    return readEnv(io.env);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'The environment is invalid.', { exitCode: 2 });
  }
}
