/** The pages of the docs in the order in which a person would read them. A test compares them with the files. */
export const docsGroups = [
  { key: 'console', pages: ['console', 'attention', 'tenant-alerts', 'statistics', 'search', 'saved-views'] },
  {
    key: 'workflows',
    pages: [
      'first-workflow',
      'workflows',
      'expressions',
      'credentials',
      'state-and-secrets',
      'webhooks',
      'schedules',
      'events',
      'templates-and-revisions',
      'node-upgrades',
      'operations-at-scale',
      'editor',
    ],
  },
  {
    key: 'commerce',
    pages: [
      'orders',
      'stock',
      'prices',
      'customers',
      'imports',
      'files-by-schedule',
      'webhooks-out',
      'inbound-endpoints',
      'commerce-nodes',
      'audit-and-retention',
      'personal-data',
    ],
  },
  {
    key: 'connect',
    pages: [
      'platform',
      'platform-orders',
      'platform-stock',
      'platform-prices',
      'platform-customers',
      'platform-products',
      'platform-files',
      'platform-webhooks',
      'receiving-webhooks',
      'webhook-kit',
    ],
  },
  { key: 'call', pages: ['graphql', 'graph-changelog', 'rest', 'sign-in'] },
  {
    key: 'extend',
    pages: [
      'connectors',
      'node-kit',
      'examples-erp-nodes',
      'theme-extensions',
      'theme-extensions-authors',
      'extension-kit',
      'examples-reviews-extension',
      'theme-blocks',
      'examples-theme',
    ],
  },
  {
    key: 'operate',
    pages: [
      'production',
      'containers',
      'kubernetes',
      'upgrading',
      'configuration',
      'databases',
      'database',
      'several-installations',
      'outages',
      'alerts',
      'tracing',
      'keys',
    ],
  },
  { key: 'background', pages: ['benchmarks', 'decisions'] },
] as const;

/** The name of a page in addresses: its path in `docs/` with hyphens for slashes, or the folder of a README. */
export type DocsPageName = (typeof docsGroups)[number]['pages'][number];

export const docsOrder: readonly DocsPageName[] = docsGroups.flatMap(({ pages }) => pages);
