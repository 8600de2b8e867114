import { readEnv } from '#src/process/env.ts';
import { exitWithMessage } from '#src/process/exit.ts';
import { receiveSettings } from '#src/process/worker-settings.ts';
import { runWorker } from './main.ts';

/** The worker of an API process, which starts it before Postgres is up and sends it the rest of its settings then. */
await runWorker(readEnv(), { settings: receiveSettings }).catch(exitWithMessage);
