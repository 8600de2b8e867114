import { alertsHelp } from './help/alerts.de.ts';
import { automationHelp } from './help/automation.de.ts';
import { commerceHelp } from './help/commerce.de.ts';
import { identityHelp } from './help/identity.de.ts';
import { importsHelp } from './help/imports.de.ts';
import { themesHelp } from './help/themes.de.ts';

/**
 * The help of forms in German by the English of the graph, so that a description that changes needs a new translation. A test finds those that
 * are missing, and those that no form shows.
 */
export const germanHelp: Readonly<Record<string, string>> = {
  ...identityHelp,
  ...alertsHelp,
  ...automationHelp,
  ...commerceHelp,
  ...importsHelp,
  ...themesHelp,
};
