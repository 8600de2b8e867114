/* oxlint-disable max-lines -- a table with one entry for each noun, which is read by searching it */
import type { DocsPageName } from '#console/docs/pages.ts';
import type { Screens } from '#console/ui/screens/screen.ts';
import type { Offer } from './readers.ts';

export interface Noun extends Offer {
  /** Its part of the address. */
  noun: string;
  /** The type of the graph whose objects its pages show. */
  type?: string;
  /** The entry of the rail under which it is found. */
  place: string;
  /** The noun from whose pages its own are opened, so that it is no tab. */
  partOf?: string;
  /** The page of docs/ that explains it. */
  docs: DocsPageName;
  load: () => Promise<Screens>;
}

/** The screens of the console, one line a noun; each is loaded when it is first opened. */
export const nouns: readonly Noun[] = [
  {
    noun: 'overview',
    place: 'overview',
    docs: 'attention',
    load: () => import('#console/operations/overview/overview.screens.tsx').then((m) => m.overview),
  },
  {
    noun: 'runs',
    type: 'Run',
    place: 'runs',
    docs: 'workflows',
    load: () => import('#console/automation/runs/runs.screens.tsx').then((m) => m.runs),
  },
  {
    noun: 'workflows',
    type: 'Workflow',
    place: 'workflows',
    docs: 'workflows',
    load: () => import('#console/automation/workflows/workflows.screens.tsx').then((m) => m.workflows),
  },
  {
    noun: 'editor',
    place: 'workflows',
    docs: 'console',
    partOf: 'workflows',
    load: () => import('#console/automation/editor/editor.screens.tsx').then((m) => m.editor),
  },
  {
    noun: 'triggers',
    type: 'Trigger',
    place: 'workflows',
    docs: 'webhooks',
    load: () => import('#console/automation/triggers/triggers.screens.tsx').then((m) => m.triggers),
  },
  {
    noun: 'schedules',
    place: 'workflows',
    docs: 'schedules',
    load: () => import('#console/automation/schedules/schedules.screens.tsx').then((m) => m.schedules),
  },
  {
    noun: 'templates',
    place: 'workflows',
    docs: 'templates-and-revisions',
    load: () => import('#console/automation/templates/templates.screens.tsx').then((m) => m.templates),
  },
  {
    noun: 'credentials',
    type: 'Credential',
    place: 'workflows',
    docs: 'credentials',
    load: () => import('#console/automation/credentials/credentials.screens.tsx').then((m) => m.credentials),
  },
  {
    noun: 'secrets',
    type: 'TenantSecret',
    place: 'workflows',
    docs: 'state-and-secrets',
    load: () => import('#console/automation/secrets/secrets.screens.tsx').then((m) => m.secrets),
  },
  {
    noun: 'state',
    type: 'StateNamespace',
    place: 'workflows',
    docs: 'state-and-secrets',
    load: () => import('#console/automation/state/state.screens.tsx').then((m) => m.state),
  },
  {
    noun: 'state-entries',
    type: 'StateEntry',
    place: 'workflows',
    partOf: 'state',
    docs: 'state-and-secrets',
    load: () => import('#console/automation/state/state.screens.tsx').then((m) => m.stateEntries),
  },
  {
    noun: 'node-packages',
    place: 'workflows',
    readers: 'everybody',
    docs: 'workflows',
    load: () => import('#console/automation/node-packages/node-packages.screens.tsx').then((m) => m.nodePackages),
  },
  {
    noun: 'dead-letters',
    type: 'DeadLetter',
    place: 'dead-letters',
    docs: 'operations-at-scale',
    load: () => import('#console/automation/dead-letters/dead-letters.screens.tsx').then((m) => m.deadLetters),
  },
  {
    noun: 'error-groups',
    type: 'ErrorGroup',
    place: 'dead-letters',
    docs: 'attention',
    load: () => import('#console/automation/error-groups/error-groups.screens.tsx').then((m) => m.errorGroups),
  },
  {
    noun: 'bulk-actions',
    type: 'BulkAction',
    place: 'dead-letters',
    readers: 'everybody',
    docs: 'operations-at-scale',
    load: () => import('#console/automation/bulk-actions/bulk-actions.screens.tsx').then((m) => m.bulkActions),
  },
  {
    noun: 'deliveries',
    type: 'WebhookDelivery',
    place: 'deliveries',
    docs: 'webhooks-out',
    load: () => import('#console/commerce/webhooks/deliveries/deliveries.screens.tsx').then((m) => m.deliveries),
  },
  {
    noun: 'webhook-destinations',
    type: 'WebhookDestination',
    place: 'deliveries',
    docs: 'webhooks-out',
    load: () =>
      import('#console/commerce/webhooks/destinations/destinations.screens.tsx').then((m) => m.webhookDestinations),
  },
  {
    noun: 'inbound-endpoints',
    type: 'InboundEndpoint',
    place: 'deliveries',
    docs: 'inbound-endpoints',
    load: () =>
      import('#console/commerce/inbound-endpoints/inbound-endpoints.screens.tsx').then((m) => m.inboundEndpoints),
  },
  {
    noun: 'imports',
    type: 'BulkJob',
    place: 'imports',
    docs: 'imports',
    load: () => import('#console/imports/bulk-jobs/bulk-jobs.screens.tsx').then((m) => m.imports),
  },
  {
    noun: 'import-profiles',
    type: 'ImportProfile',
    place: 'imports',
    docs: 'imports',
    load: () => import('#console/imports/import-profiles/import-profiles.screens.tsx').then((m) => m.importProfiles),
  },
  {
    noun: 'import-schedules',
    type: 'ImportSchedule',
    place: 'imports',
    docs: 'files-by-schedule',
    load: () => import('#console/imports/import-schedules/import-schedules.screens.tsx').then((m) => m.importSchedules),
  },
  {
    noun: 'export-schedules',
    type: 'ExportSchedule',
    place: 'imports',
    docs: 'files-by-schedule',
    load: () => import('#console/imports/export-schedules/export-schedules.screens.tsx').then((m) => m.exportSchedules),
  },
  {
    noun: 'http-sources',
    type: 'HttpSource',
    place: 'imports',
    docs: 'files-by-schedule',
    load: () => import('#console/imports/http-sources/http-sources.screens.tsx').then((m) => m.httpSources),
  },
  {
    noun: 'sftp-accounts',
    type: 'SftpAccount',
    place: 'imports',
    docs: 'files-by-schedule',
    load: () => import('#console/imports/sftp-accounts/sftp-accounts.screens.tsx').then((m) => m.sftpAccounts),
  },
  {
    noun: 'orders',
    type: 'Order',
    place: 'orders',
    docs: 'orders',
    load: () => import('#console/commerce/orders/orders.screens.tsx').then((m) => m.orders),
  },
  {
    noun: 'stock',
    type: 'Stock',
    place: 'stock',
    docs: 'stock',
    load: () => import('#console/commerce/stock/stock.screens.tsx').then((m) => m.stock),
  },
  {
    noun: 'products',
    type: 'Product',
    place: 'stock',
    docs: 'stock',
    load: () => import('#console/commerce/products/products.screens.tsx').then((m) => m.products),
  },
  {
    noun: 'prices',
    place: 'prices',
    docs: 'prices',
    load: () => import('#console/commerce/prices/prices.screens.tsx').then((m) => m.prices),
  },
  {
    noun: 'price-lists',
    type: 'PriceList',
    place: 'prices',
    docs: 'prices',
    load: () => import('#console/commerce/price-lists/price-lists.screens.tsx').then((m) => m.priceLists),
  },
  {
    noun: 'customers',
    type: 'Organization',
    place: 'customers',
    docs: 'customers',
    load: () => import('#console/commerce/customers/customers.screens.tsx').then((m) => m.customers),
  },
  {
    noun: 'contacts',
    type: 'Contact',
    place: 'customers',
    docs: 'customers',
    load: () => import('#console/commerce/contacts/contacts.screens.tsx').then((m) => m.contacts),
  },
  {
    noun: 'cost-centres',
    place: 'customers',
    docs: 'customers',
    load: () => import('#console/commerce/cost-centres/cost-centres.screens.tsx').then((m) => m.costCentres),
  },
  {
    noun: 'customer-figures',
    place: 'customers',
    docs: 'customers',
    load: () =>
      import('#console/commerce/customer-figures/customer-figures.screens.tsx').then((m) => m.customerFigures),
  },
  {
    noun: 'themes',
    type: 'Theme',
    place: 'themes',
    readers: 'everybody',
    docs: 'theme-extensions',
    load: () => import('#console/themes/themes/themes.screens.tsx').then((m) => m.themes),
  },
  {
    noun: 'extensions',
    type: 'Extension',
    place: 'themes',
    docs: 'theme-extensions',
    load: () => import('#console/themes/extensions/extensions.screens.tsx').then((m) => m.extensions),
  },
  {
    noun: 'installations',
    type: 'Installation',
    place: 'themes',
    docs: 'theme-extensions',
    load: () => import('#console/themes/installations/installations.screens.tsx').then((m) => m.installations),
  },
  {
    noun: 'extension-reviews',
    place: 'themes',
    docs: 'theme-extensions',
    readers: 'operators',
    load: () =>
      import('#console/themes/extension-reviews/extension-reviews.screens.tsx').then((m) => m.extensionReviews),
  },
  {
    noun: 'tenants',
    type: 'Tenant',
    place: 'settings',
    docs: 'production',
    load: () => import('#console/identity/tenants/tenants.screens.tsx').then((m) => m.tenants),
  },
  {
    noun: 'organisations',
    type: 'Org',
    place: 'settings',
    readers: 'operators',
    docs: 'production',
    load: () => import('#console/identity/organisations/organisations.screens.tsx').then((m) => m.organisations),
  },
  {
    noun: 'attributes',
    type: 'Attribute',
    place: 'settings',
    docs: 'platform',
    load: () => import('#console/commerce/attributes/attributes.screens.tsx').then((m) => m.attributes),
  },
  {
    noun: 'commerce-settings',
    place: 'settings',
    docs: 'orders',
    load: () =>
      import('#console/commerce/commerce-settings/commerce-settings.screens.tsx').then((m) => m.commerceSettings),
  },
  {
    noun: 'api-keys',
    type: 'ApiKey',
    place: 'settings',
    docs: 'platform',
    load: () => import('#console/identity/api-keys/api-keys.screens.tsx').then((m) => m.apiKeys),
  },
  {
    noun: 'alert-recipients',
    type: 'AlertRecipient',
    place: 'settings',
    docs: 'tenant-alerts',
    load: () =>
      import('#console/operations/alert-recipients/alert-recipients.screens.tsx').then((m) => m.alertRecipients),
  },
  {
    noun: 'retention',
    place: 'settings',
    docs: 'audit-and-retention',
    load: () => import('#console/automation/retention/retention.screens.tsx').then((m) => m.retention),
  },
  {
    noun: 'audit-log',
    place: 'settings',
    docs: 'audit-and-retention',
    load: () => import('#console/operations/audit-log/audit-log.screens.tsx').then((m) => m.auditLog),
  },
  {
    noun: 'failed-jobs',
    type: 'FailedJob',
    place: 'settings',
    readers: 'operators',
    docs: 'events',
    load: () => import('#console/operations/failed-jobs/failed-jobs.screens.tsx').then((m) => m.failedJobs),
  },
  {
    noun: 'outbox-failures',
    type: 'OutboxFailure',
    place: 'settings',
    readers: 'operators',
    docs: 'events',
    load: () => import('#console/operations/outbox-failures/outbox-failures.screens.tsx').then((m) => m.outboxFailures),
  },
];

const byName = new Map(nouns.map((noun) => [noun.noun, noun]));
const byType = new Map(nouns.map((noun) => [noun.type, noun.noun]));

export const findNoun = (name: string): Noun | undefined => byName.get(name);
export const nounOf = (typename: string): string | undefined => byType.get(typename);
