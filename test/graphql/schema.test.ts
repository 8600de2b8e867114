import {
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '#test/setup/schema.ts';
import { findKeyScope, named, rootFields, findScope } from './generate-operation.ts';

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const listFields = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

/** Fields that declare no role: what anybody may read, and what anybody may who has a good token. */
const publicFields = ['Mutation.completeAuthorization', 'Query.schema', 'Query.schemas'];
const authenticatedFields = [
  'Query.credentialType',
  'Query.credentialTypes',
  'Query.expressionFunctions',
  'Query.me',
  'Query.nodeDefinition',
  'Query.nodeVersions',
  'Query.nodes',
  'Query.template',
  'Query.templates',
  'Query.theme',
  'Query.themes',
];

describe('access', () => {
  test('is declared by every field that is not listed here as public or open to any token', () => {
    const withScope = (wanted: string | null) =>
      rootFields.filter(({ field }) => findScope(field) === wanted).map(({ name }) => name);
    expect(withScope(null).toSorted()).toEqual(publicFields);
    expect(withScope('authenticated').toSorted()).toEqual(authenticatedFields);
    // Each type says who may read it, and each kind who may search for it.
    expect(withScope('identified')).toEqual(['Query.node', 'Query.search']);
  });
});

const mutations = rootFields.filter(({ operation }) => operation === 'mutation');
const errorMembers = ['ConflictError', 'NotFoundError', 'RequestError', 'ValidationError'];
const isError = (type: GraphQLNamedType | undefined): boolean =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Error');

describe('a mutation', () => {
  test.each(named(mutations.filter(({ name }) => !publicFields.includes(name))))(
    'has a description of the required access: %s',
    (_name, { field }) => {
      expect(
        field.description?.match(
          /Needs (any )?role( `(user|admin|operator)`( or `admin`)?)?(, or an API key with scope `[a-z]+:[a-z]+`)?\.$/g,
        ),
      ).toHaveLength(1);
    },
  );

  test.each(named(mutations))('takes one input and returns its payload or an error: %s', (_name, { field }) => {
    const title = upperFirst(field.name);
    expect(field.args.map(({ name, type }) => `${name}: ${String(type)}`)).toEqual([`input: ${title}Input!`]);
    expect(String(field.type)).toBe(`${title}Result!`);
    const result = getNamedType(field.type);
    const members = isUnionType(result) ? result.getTypes() : [];
    expect(members.filter((type) => !isError(type)).map(({ name }) => name)).toEqual([`${title}Payload`]);
    expect(members.map(({ name }) => name)).toEqual(expect.arrayContaining(errorMembers));
  });

  const forKeys = mutations.filter(({ field }) => findKeyScope(field) !== undefined);
  test.each(named(forKeys))('returns its payload to a key without other scopes: %s', (_name, { field }) => {
    const result = getNamedType(field.type);
    const payload = isUnionType(result) ? result.getTypes().find(({ name }) => name.endsWith('Payload')) : undefined;
    const refusing = Object.values(payload?.getFields() ?? {})
      .map(({ type }) => getNamedType(type))
      .filter(({ extensions }) => {
        const { authScopes } = (extensions['pothosOptions'] ?? {}) as { authScopes?: { scope?: string } };
        return authScopes && authScopes.scope !== findKeyScope(field);
      });
    expect(
      refusing,
      'Declare `extensions: nodeAccess(...)` on the type, and scopes on the fields that lead to it.',
    ).toEqual([]);
  });

  test.each(named(mutations))('has a name of a verb and a noun: %s', (_name, { field }) => {
    expect(field.name).toMatch(/^[a-z]+[A-Z]/);
  });
});

/** Lists without pages, and what bounds each. */
const boundedLists: Record<string, string> = {
  'AlertRecipient.addresses': 'at most 20',
  'AlertRecipient.kinds': 'one for each of the enum',
  'AlertRecipient.messages': 'the last 20',
  'ApiComparison.broken': 'the first 2,000',
  'ApiComparison.changes': 'the first 2,000',
  'ApiKey.scopes': 'at most 100',
  'Block.enabledOn': 'a manifest of 256 KiB',
  'BlockChange.members': 'a manifest of 256 KiB',
  'BlockChange.settings': 'two manifests of 256 KiB',
  'CancelRunsPayload.runs': 'the first 20',
  'CreateNodePackagePayload.skipped': 'the first 2,000',
  'DescribedApi.credentialTypes': 'one for each way to authenticate that an operation names',
  'DescribedApi.operations': 'the first 2,000',
  'DescribedApi.servers': 'the first 50',
  'DescribedApi.skipped': 'the first 2,000',
  'DescribedApi.tags': 'the first 500',
  'DescribedOperation.tags': 'a description of 50 MB',
  'ErrorGroup.workflows': 'at most 20',
  'DraftConflict.conflicts': 'limits of a draft',
  'Extension.assets': 'two files a version',
  'Extension.versions': 'the newest 100',
  'ExtensionAsset.elements': 'at most 200 a module',
  'ExtensionReview.assets': 'two files a version',
  'ExtensionReview.blocks': 'two manifests of 256 KiB',
  'ExtensionReview.elementsAdded': 'at most 200 a module',
  'ExtensionReview.elementsRemoved': 'at most 200 a module',
  'ExtensionReview.members': 'the members of a manifest',
  'Block.settings': 'a manifest of 256 KiB',
  'HttpSource.headerNames': 'at most 20',
  'ImportPreviewRow.errors': 'the fields of a target',
  'ImportProposal.columns': 'the first 64 KiB of a file',
  'PreviewImportPayload.rows': 'as many as were asked for, at most 100',
  'Attribute.options': 'at most 100',
  'PriceResolution.trace': 'the price lists of a tenant',
  'Query.resolvePrices': 'as many as were asked for, at most 200',
  'Credential.usedBy': 'the service',
  'ChangedWorkflowNode.changes': 'limits of a diff',
  'CredentialType.images': 'one package',
  'DeleteCredentialPayload.usedBy': 'the service',
  'DiscardDeadLettersPayload.deadLetters': 'the first 20',
  'FieldError.messages': 'the checks of one field',
  'MeClaims.aud': 'one token',
  'MeContext.mutations': 'the mutations of the graph',
  'MeContext.roles': 'one token',
  'NodeConfigField.credentialTypes': 'one manifest',
  'NodeConfigField.options': 'one manifest',
  'NodeDefinition.branches': 'one manifest',
  'NodeDefinition.fields': 'one manifest',
  'NodeDefinition.images': 'one manifest',
  'NodeDefinition.inputs': 'one manifest',
  'NodeDefinition.outputs': 'one manifest',
  'NodeDefinition.outputSchemas': 'branches of one manifest and of sampleLimits.samples',
  'NodeBranchesDiff.added': 'one manifest',
  'NodeBranchesDiff.removed': 'one manifest',
  'NodeCredentialsDiff.added': 'one manifest',
  'NodeCredentialsDiff.removed': 'one manifest',
  'NodeFieldsDiff.added': 'one manifest',
  'NodeFieldsDiff.changed': 'at most 100',
  'NodeFieldsDiff.removed': 'one manifest',
  'NodeManifestDiff.credentials': 'one manifest',
  'NodeManifestDiff.required': 'one manifest',
  'NodePortsDiff.added': 'one manifest',
  'NodePortsDiff.changed': 'at most 100',
  'NodePortsDiff.removed': 'one manifest',
  'NodeUpgrade.issues': 'at most 20',
  'NodeMigration.changes': 'at most 100',
  'NodeMigration.issues': 'at most 20',
  'UpgradeNodesPayload.refused': 'at most 500',
  'UpgradeNodesPayload.upgraded': 'at most 500',
  'UpgradedNode.issues': 'at most 20',
  'NodePackageBuild.errors': 'one build',
  'NodeThrewError.logs': 'the sandbox',
  'Order.changes': 'at most 1,000',
  'Order.positions': 'at most 200',
  'Order.story': 'its events, of which it has few',
  'Step.calls': 'at most 20',
  'Me.orgs': 'the one of the token',
  'Me.tenants': 'the query',
  'Order.taxes': 'its positions',
  'Org.tenants': 'the query',
  'Organization.addresses': 'the schema of an organization',
  'Query.nextTicks': 'its argument `count`',
  'Query.runStats': 'ten groups',
  'Query.orderStats': 'ten currencies',
  'Query.deliveryStats': 'ten destinations',
  'Query.importStats': 'the targets',
  'OrderStatsSeries.buckets': '31 days of hours, or 366 days',
  'DeliveryStatsSeries.buckets': '31 days of hours, or 366 days',
  'ImportStatsSeries.buckets': '31 days of hours, or 366 days',
  'TriggerStats.buckets': '31 days of hours, or 366 days',
  'TriggerStats.last': 'its argument `lastFirings`',
  'Query.attention': 'its argument `first`',
  'Query.evaluateExpressions': 'as many as were asked for, at most 100',
  'Query.expressionFunctions': 'as many as the language has',
  'Query.expressionItemSources': 'the loops around a node, as deep as a blob nests them',
  'Query.expressionScope': 'scopeLimits.entries',
  'Query.orgs': 'the query',
  'Query.schemas': 'files of ours',
  'RegisteredNodePackage.credentialTypes': 'one package',
  'RegisteredNodePackage.images': 'one package',
  'RegisteredNodePackage.nodes': 'one package',
  'RegisteredNodePackage.templates': 'one package',
  'ReplayDeadLettersPayload.deadLetters': 'the first 20',
  'RerunRunsPayload.runs': 'the first 20',
  'SentRequest.bulkJobs': 'maxCaused',
  'SentRequest.deadLetters': 'maxCaused',
  'SentRequest.orders': 'maxCaused',
  'SentRequest.runs': 'maxCaused',
  'SentRequest.webhookDeliveries': 'maxCaused',
  'ResendWebhookDeliveriesPayload.webhookDeliveries': 'the first 20',
  'ResumeRunsPayload.runs': 'the first 20',
  'RetryFailedJobsPayload.failedJobs': 'the first 20',
  'RetryRunsPayload.runs': 'the first 20',
  'PollPreview.records': 'the server: 20',
  'Run.logs': 'its argument `first`',
  'Run.stepCounts': 'the nodes of its revision',
  'StepCounts.branches': 'the branches of a node',
  'Run.steps': 'the query',
  'RunStatsSeries.buckets': '745 hours, or 367 days',
  'SavedView.columns': 'at most 100',
  'SavedView.problems': 'at most 20',
  'SearchResults.results': 'at most as many as `first`',
  'Step.logs': 'the query',
  'Stock.locations': 'the locations of one product',
  'TemplatePlaceholder.credentialTypes': 'one package',
  'TestNodePayload.logs': 'the sandbox',
  'TransferStockPayload.movements': 'one transfer',
  'ValidationError.fields': 'the service',
  'WebhookDelivery.attempts': 'the last 100',
  'WebhookDestination.headerNames': 'at most 20',
  'WebhookDestination.topics': 'at most 100',
  'Workflow.credentials': 'nodes of one blob',
  'Workflow.edges': 'the schema of a blob',
  'Workflow.nodes': 'the schema of a blob',
  'Workflow.triggers': 'the query',
  'WorkflowCaller.nodeIds': 'nodes of one blob',
  'WorkflowRevision.edges': 'the schema of a blob',
  'WorkflowRevision.nodes': 'the schema of a blob',
  'WorkflowDiff.settings': 'limits of a diff',
  'WorkflowDiff.state': 'limits of a diff',
  'WorkflowDiff.summary': 'limits of a diff',
  'WorkflowEdgesDiff.added': 'limits of a diff',
  'WorkflowEdgesDiff.removed': 'limits of a diff',
  'WorkflowNode.branches': 'one node',
  'WorkflowNodesDiff.added': 'limits of a diff',
  'WorkflowNodesDiff.changed': 'limits of a diff',
  'WorkflowNodesDiff.removed': 'limits of a diff',
  'WorkflowTemplate.images': 'one package',
  'WorkflowTemplate.placeholders': 'one package',
  'WorkflowUpdate.editors': 'at most 100 people',
  'WorkflowValidation.errors': 'limits of a check',
  'WorkflowValidation.issues': 'limits of a check',
  'WorkflowValidation.warnings': 'limits of a check',
  'ImportTarget.fields': 'what targets declare',
  'Order.payments': 'the query',
  'Order.returns': 'the query',
  'Order.shipments': 'the query',
  'IncomingMessage.headers': 'at most 50 headers',
  'Query.incomingMessages': 'at most 100 messages',
  'RegisteredNodePackage.messages': 'at most 500 messages of a package',
  'Query.eventTopics': 'topics are declared by nouns',
  'Query.keyScopes': 'scopes are declared by nouns',
  'Query.people': 'the query',
  'Query.importTargets': 'targets are declared by nouns',
  'Return.lines': 'positions of one order',
  'Shipment.lines': 'positions of one order',
};

test('names the specification of each scalar', () => {
  const own = types.filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  expect(own.length).toBeGreaterThan(0);
  for (const type of own) expect(isScalarType(type) && type.specifiedByURL).toMatch(/^https:\/\//);
});

describe('a list', () => {
  const isPage = (type: GraphQLNamedType, field: string) => type.name.endsWith('Connection') && field === 'edges';
  const lists = types.flatMap((type) =>
    listFields(type)
      .filter((field) => isListType(getNullableType(field.type)) && !isPage(type, field.name))
      .map((field) => `${type.name}.${field.name}`),
  );

  test('is a connection, or listed here with what bounds it', () => {
    expect(lists.toSorted()).toEqual(Object.keys(boundedLists).toSorted());
  });

  test('that is a connection takes a page and shows edges, pageInfo and totalCount', () => {
    const connections = types.flatMap((type) =>
      listFields(type).filter((field) => getNamedType(field.type).name.endsWith('Connection')),
    );
    expect(connections.length).toBeGreaterThan(0);
    for (const { args, type } of connections) {
      const paging = ['first: Int', 'last: Int', 'before: String', 'after: String', 'offset: Int'];
      expect(args.map((each) => `${each.name}: ${String(each.type)}`)).toEqual(expect.arrayContaining(paging));
      const shown = listFields(getNamedType(type)).map((field) => `${field.name}: ${String(field.type)}`);
      const edges = `edges: [${getNamedType(type).name.replace(/Connection$/, 'Edge')}!]!`;
      expect(shown).toEqual(expect.arrayContaining([edges, 'pageInfo: PageInfo!', 'totalCount: Long!']));
    }
  });

  test('that is a connection is named after its nodes, one type for all lists of them', () => {
    const edges = types.filter(({ name }) => name.endsWith('Edge'));
    expect(edges.length).toBeGreaterThan(0);
    for (const edge of edges) {
      const node = listFields(edge).find(({ name }) => name === 'node');
      expect(edge.name).toBe(`${getNamedType(node?.type)?.name}Edge`);
      expect(String(node?.type)).toMatch(/!$/);
    }
    const connections = types.filter(({ name }) => name.endsWith('Connection')).map(({ name }) => name);
    expect(connections.toSorted()).toEqual(edges.map(({ name }) => name.replace(/Edge$/, 'Connection')).toSorted());
  });

  test('that is present contains no nulls', () => {
    const given = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()) : []));
    const holding = given.filter(({ type }) => {
      const list = getNullableType(type);
      return isListType(list) && !isNonNullType(list.ofType);
    });
    expect(holding.map(({ name }) => name)).toEqual([]);
  });
});

test('names the values of enums in upper case', () => {
  const values = types.flatMap((type) => (isEnumType(type) ? type.getValues() : []));
  expect(values.length).toBeGreaterThan(0);
  expect(values.map(({ name }) => name).filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([]);
});

const nodeTypes = types.filter(
  (type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'),
);

/** Objects that REST, or the log, knows by a text of their own. */
const keyedByText: Record<string, string> = {
  Step: 'path',
  ErrorGroup: 'groupId',
  FailedJob: 'jobId',
  Org: 'slug',
  OutboxFailure: 'eventId',
  StateEntry: 'key',
  StateNamespace: 'namespace',
  Stock: 'sku',
  Tenant: 'slug',
  TenantSecret: 'key',
  WorkflowRevision: 'revision',
};

/** Lines of one object's log, which nothing refers to, and blocks, which pages refer to by name. */
const withoutId = ['Block', 'BulkActionRefusal', 'InboundCall', 'InboundRefusals', 'NodeUpgrade', 'WorkflowCaller'];

describe('an object with a global id', () => {
  test('is every object that is listed, except the lines of a log and blocks', () => {
    const listed = types.filter(({ name }) => name.endsWith('Edge')).map(({ name }) => name.replace(/Edge$/, ''));
    const known = nodeTypes.map(({ name }) => name);
    expect(listed.filter((name) => !known.includes(name)).toSorted()).toEqual(withoutId);
  });

  test.each(Object.entries(keyedByText))('has its public key: %s.%s', (name, key) => {
    const type = nodeTypes.find((each) => each.name === name);
    expect(type && listFields(type).map((field) => field.name)).toEqual(expect.arrayContaining(['id', key]));
  });

  test.each(nodeTypes.filter(({ name }) => !(name in keyedByText)).map((type) => [type.name, type] as const))(
    'also shows the integer of REST: %s',
    (_name, type) => {
      const shown = listFields(type).map((field) => `${field.name}: ${String(field.type)}`);
      expect(shown).toEqual(expect.arrayContaining(['id: ID!', 'databaseId: Long!']));
    },
  );
});

/** Types whose whole meaning is the field they belong to, or Relay's. */
const isDerived = ({ name }: GraphQLNamedType): boolean =>
  /(Connection|Edge)$/.test(name) ||
  ['Query', 'Mutation', 'Subscription', 'PageInfo', 'Node'].includes(name) ||
  mutations.some(({ field }) => [`Input`, `Payload`, `Result`].includes(name.replace(upperFirst(field.name), '')));

test('describes every type', () => {
  const bare = types.filter((type) => !type.description && !isDerived(type) && !isSpecifiedScalarType(type));
  expect(bare.map(({ name }) => name)).toEqual([]);
});
