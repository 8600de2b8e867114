import { expect, test } from 'vitest';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

const read = (text: string, from = ''): Promise<ApiDescription> => readDescription(Buffer.from(text), { from });

const metadata = (schema: string, version = '4.0', prefix = ''): string =>
  `<?xml version="1.0"?>${prefix}<edmx:Edmx Version="${version}"><edmx:DataServices><Schema Namespace="Shop" Alias="S">${schema}</Schema></edmx:DataServices></edmx:Edmx>`;

const order = `
  <EntityType Name="Base" Abstract="true"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.String" Nullable="false" MaxLength="10"/></EntityType>
  <EntityType Name="Order" BaseType="S.Base">
    <Property Name="Total" Type="Edm.Decimal"/><Property Name="State" Type="S.State"/><Property Name="At" Type="Edm.DateTimeOffset" Nullable="false"/>
    <Property Name="Tags" Type="Collection(Edm.String)"/><Property Name="Odd" Type="Edm.GeographyPoint"/>
    <NavigationProperty Name="Next" Type="S.Order"/><NavigationProperty Name="Rows" Type="Collection(S.Row)"/>
    <Annotation Term="Core.Description" String="An order"/>
  </EntityType>
  <EntityType Name="Row"><Key><PropertyRef Name="Order"/><PropertyRef Name="Line"/></Key><Property Name="Order" Type="Edm.String"/><Property Name="Line" Type="Edm.Int32"/></EntityType>
  <EnumType Name="State"><Member Name="Open"/><Member Name="Closed"/></EnumType>
  <Action Name="Cancel" IsBound="true"><Parameter Name="it" Type="S.Base"/><Parameter Name="Reason" Type="Edm.String" Nullable="false"/></Action>
  <Function Name="Late" IsBound="true"><Parameter Name="them" Type="Collection(S.Order)"/><Parameter Name="State" Type="S.State"/><ReturnType Type="Collection(S.Order)"/></Function>
  <Function Name="Count"><ReturnType Type="Edm.Int32"/></Function>
  <Function Name="Of"><Parameter Name="Rows" Type="Collection(S.Row)"/></Function>`;
const container = `<EntityContainer Name="C"><EntitySet Name="Orders" EntityType="S.Order"/><EntitySet Name="Rows" EntityType="Shop.Row"/>
  <Singleton Name="Newest" Type="S.Order"/><FunctionImport Name="Count" Function="S.Count"/><FunctionImport Name="Of" Function="S.Of"/></EntityContainer>`;

test('sets, singletons, actions and functions become operations', async () => {
  const api = await read(metadata(order + container), 'https://erp.example/odata/v4/$metadata?sap-language=EN');
  expect(api.servers).toEqual([{ url: 'https://erp.example/odata/v4', variables: {} }]);
  expect(api.operations.map(({ name, method, path }) => `${name}: ${method} ${path}`)).toEqual([
    'list-orders: GET /Orders',
    "get-orders: GET /Orders('{Id}')",
    'create-orders: POST /Orders',
    "update-orders: PATCH /Orders('{Id}')",
    "delete-orders: DELETE /Orders('{Id}')",
    "cancel-of-orders: POST /Orders('{Id}')/Shop.Cancel",
    "late-of-orders: GET /Orders/Shop.Late(State=Shop.State'{State}')",
    'list-rows: GET /Rows',
    "get-rows: GET /Rows(Order='{Order}',Line={Line})",
    'create-rows: POST /Rows',
    "update-rows: PATCH /Rows(Order='{Order}',Line={Line})",
    "delete-rows: DELETE /Rows(Order='{Order}',Line={Line})",
    'get-newest: GET /Newest',
    'update-newest: PATCH /Newest',
    'cancel-of-newest: POST /Newest/Shop.Cancel',
    'count: GET /Count()',
    'change-set: POST /$batch',
  ]);
  expect(api.skipped).toEqual([
    { operation: 'Function Of', reason: expect.stringMatching(/object or a list/) as string },
  ]);
});

test.each([
  ['com.sap.gateway.srvd_a2x.api_salesorder.v0001', 'api_salesorder'],
  ['API_SALES_ORDER_SRV', 'API_SALES_ORDER_SRV'],
  ['Microsoft.NAV', 'NAV'],
  ['v1', ''],
])('a service of the namespace %s is called "%s"', async (namespace, title) => {
  const text = metadata(order + container).replaceAll('Shop.', 'S.');
  expect((await read(text.replace('Namespace="Shop"', `Namespace="${namespace}"`))).title).toBe(title);
});

test('types become definitions, with the properties of their bases and links in circles', async () => {
  const { definitions, operations } = await read(metadata(order + container));
  expect(definitions).toEqual({
    'Shop.Order': {
      type: 'object',
      properties: {
        Id: { type: 'string', maxLength: 10 },
        Total: { type: ['number', 'null'] },
        State: { $ref: '#/$defs/Shop.State' },
        At: { type: 'string', format: 'date-time' },
        Tags: { type: 'array', items: { type: 'string' } },
        Odd: {},
        Next: { $ref: '#/$defs/Shop.Order' },
        Rows: { type: 'array', items: { $ref: '#/$defs/Shop.Row' } },
      },
    },
    'Shop.Row': {
      type: 'object',
      properties: { Order: { type: ['string', 'null'] }, Line: { type: ['integer', 'null'], format: 'int32' } },
    },
    'Shop.State': { type: 'string', enum: ['Open', 'Closed'] },
  });
  const cancel = operations.find(({ name }) => name === 'cancel-of-orders');
  expect(cancel?.body?.content[0]?.schema).toEqual({
    type: 'object',
    properties: { Reason: { type: 'string' } },
    required: ['Reason'],
  });
  expect(operations[0]?.answers[0]?.content[0]?.schema).toMatchObject({
    properties: { value: { items: { $ref: '#/$defs/Shop.Order' } }, '@odata.nextLink': { type: 'string' } },
  });
  expect(operations[3]?.parameters.map(({ in: place, name }) => `${place} ${name}`)).toEqual([
    'path Id',
    'header If-Match',
  ]);
});

test('version 2 has literals, wrappers and updates of its own, and says what a set does not allow', async () => {
  const schema = `<EntityType Name="Order"><Key><PropertyRef Name="Id"/><PropertyRef Name="At"/></Key><Property Name="Id" Type="Edm.Guid"/><Property Name="At" Type="Edm.DateTime"/><Property Name="Total" Type="Edm.Decimal"/><NavigationProperty Name="Rows" Relationship="Shop.A"/></EntityType>
    <EntityContainer Name="C"><EntitySet Name="Orders" EntityType="Shop.Order" sap:creatable="false" sap:deletable="false"/>
    <FunctionImport Name="Release" m:HttpMethod="POST" ReturnType="Shop.Order"><Parameter Name="Id" Type="Edm.String"/><Parameter Name="Rank" Type="Edm.Int64"/></FunctionImport></EntityContainer>`;
  const api = await read(metadata(schema, '1.0'));
  expect(api.version).toBe('2.0');
  expect(api.operations.map(({ method, path, headers }) => [method, path, headers?.['X-HTTP-Method']])).toEqual([
    ['GET', '/Orders', undefined],
    ['GET', "/Orders(Id=guid'{Id}',At=datetime'{At}')", undefined],
    ['POST', "/Orders(Id=guid'{Id}',At=datetime'{At}')", 'MERGE'],
    ['POST', "/Release?Id='{Id}'&Rank={Rank}L", undefined],
    ['POST', '/$batch', undefined],
  ]);
  expect(api.operations[0]?.answers[0]?.content[0]?.schema).toMatchObject({
    properties: { d: { properties: { results: { type: 'array' }, __next: {} } } },
  });
  expect(api.definitions['Shop.Order']).toMatchObject({
    properties: { Total: { type: ['string', 'null'] }, Rows: {} },
  });
});

test.each([
  ["1') or (Id eq '2", false],
  ['4711', true],
  ['Müller & Söhne', true],
])('the value %s of a quoted key: allowed is %s', async (value, allowed) => {
  const { operations } = await read(metadata(order + container));
  const pattern = String(operations[1]?.parameters[0]?.schema['pattern']);
  expect(new RegExp(pattern, 'u').test(value)).toBe(allowed);
});

test.each<[what: string, text: string, message: RegExp]>([
  [
    'entities of its own',
    metadata(order + container, '4.0', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'),
    /DOCTYPE with declarations/,
  ],
  ['broken XML', metadata(`${order}${container}<Broken>`), /cannot be read/],
  ['nesting', metadata(`${container}${'<a>'.repeat(100)}${'</a>'.repeat(100)}`), /deeper than 30/],
  [
    'too many operations',
    metadata(
      `${order}<EntityContainer Name="C">${Array.from({ length: 5_000 }, (_, at) => `<EntitySet Name="O${at}" EntityType="S.Order"/>`).join('')}</EntityContainer>`,
    ),
    /at most 20000 are read/,
  ],
])('metadata with %s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(message) as string,
  });
});

test('types that are their own bases, have no key, or link to each other in a long chain do not stop the reader', async () => {
  const chain = Array.from(
    { length: 20_000 },
    (_, at) => `<ComplexType Name="T${at}"><Property Name="a" Type="S.T${at + 1}"/></ComplexType>`,
  );
  const bases = Array.from({ length: 5_000 }, (_, at) => `<EntityType Name="B${at}" BaseType="S.B${at + 1}"/>`);
  const text = metadata(
    `<EntityType Name="Self" BaseType="S.Self"><Property Name="t" Type="S.T0"/></EntityType>${chain.join('')}${bases.join('')}
    <EntityContainer Name="C"><EntitySet Name="A" EntityType="S.Self"/><EntitySet Name="B" EntityType="S.B0"/><EntitySet Name="G" EntityType="S.Gone"/></EntityContainer>`,
  );
  let api: ApiDescription | undefined;
  const taken = await measureCpuTime(async () => (api = await read(text)));
  expect(taken).toBeLessThan(8_000);
  expect(api?.operations.map(({ path }) => path)).toEqual(['/A', '/A', '/B', '/B', '/G', '/G', '/$batch']);
  expect(new Set(api?.skipped.map(({ reason }) => reason.includes('has no key')))).toEqual(new Set([true]));
  expect(Object.keys(api?.definitions ?? {}).length).toBeGreaterThan(20_000);
});
