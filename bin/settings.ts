import { type Env, readEnv } from '#src/process/env.ts';
import { CommandError, type CommandIo } from './command.ts';

/** The settings of a server started from here. */
export function settingsOf(io: CommandIo): Env {
  try {
    return readEnv(io.env);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'The environment is not usable.', { exitCode: 2 });
  }
}
