import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const named = process.env['CHROMIUM'];
const executablePath = named ?? '/usr/bin/chromium';

/** True if tests that need a browser are skipped. Naming one, as CI does, makes its absence an error. */
export const browserIsMissing = named === undefined && !existsSync(executablePath);

/** The suffix of the name of a skipped suite. */
export const skippedSuffix = browserIsMissing
  ? ` (skipped: there is no browser at ${executablePath}; name one in CHROMIUM)`
  : '';

/** Starts Chromium. Its own sandbox needs a user who is not root. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
