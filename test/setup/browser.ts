import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const named = process.env['CHROMIUM'];
const executablePath = named ?? '/usr/bin/chromium';

/** True if tests that need a browser are skipped. Naming one, as CI does, makes its absence an error. */
export const browserIsMissing = named === undefined && !existsSync(executablePath);

/** The suffix of the name of a skipped suite. */
export const skippedSuffix = browserIsMissing
  ? ` (skipped: there is no browser at ${executablePath}; name one in CHROMIUM)`
  : '';

/** Chromium's own sandbox needs a user who is not root. */
const args = ['--no-sandbox', '--disable-dev-shm-usage'];

/** Starts Chromium, with further arguments if a test needs them. */
export const launchBrowser = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...args, ...more] });

/** Starts Chromium with the settings of a profile. */
export const launchProfile = (directory: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(directory, { executablePath, args });
