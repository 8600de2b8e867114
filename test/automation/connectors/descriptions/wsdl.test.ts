import { expect, test } from 'vitest';
import type { ApiDescription } from '#src/automation/connectors/descriptions/api-description.ts';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { documentService, wsdlText } from './wsdl-text.ts';

const read = (text: string, from = ''): Promise<ApiDescription> => readDescription(Buffer.from(text), { from });

const order = `
  <xs:element name="request" type="t:Order"/><xs:element name="response"><xs:complexType><xs:sequence><xs:element name="id" type="xs:long"/></xs:sequence></xs:complexType></xs:element>
  <xs:complexType name="Base"><xs:sequence><xs:element name="number" type="t:Number"/></xs:sequence><xs:attribute name="state" type="t:State" use="required"/></xs:complexType>
  <xs:complexType name="Order"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
    <xs:element name="at" type="xs:dateTime" minOccurs="0"><xs:annotation><xs:documentation>When it was placed.</xs:documentation></xs:annotation></xs:element>
    <xs:element name="row" type="t:Row" minOccurs="0" maxOccurs="unbounded"/>
    <xs:choice><xs:element name="customer" type="xs:int"/><xs:element name="guest" type="xs:string"/></xs:choice>
    <xs:element name="note" type="xs:string" nillable="true"/><xs:element ref="t:total" minOccurs="0"/><xs:element name="parent" type="t:Order" minOccurs="0"/>
    <xs:group ref="t:Flags"/>
  </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
  <xs:group name="Flags"><xs:sequence><xs:element name="paid" type="xs:boolean"/></xs:sequence></xs:group>
  <xs:complexType name="Row"><xs:all><xs:element name="sku" type="xs:string"/></xs:all></xs:complexType>
  <xs:element name="total"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="currency"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
  <xs:simpleType name="Number"><xs:restriction base="xs:string"><xs:maxLength value="10"/><xs:pattern value="[A-Z]\\d+"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="State"><xs:restriction base="xs:token"><xs:enumeration value="open"/><xs:enumeration value="paid"/></xs:restriction></xs:simpleType>`;

test('an operation of a document service has its address, its action, and the types of its messages', async () => {
  const api = await read(
    wsdlText({ schema: order, rest: documentService({ address: 'https://shop.example/soap/?sap-client=100' }) }),
  );
  const [operation] = api.operations;
  expect(api).toMatchObject({
    kind: 'soap',
    title: 'Orders',
    servers: [{ url: 'https://shop.example', variables: {} }],
    skipped: [],
  });
  expect(operation).toMatchObject({ name: 'save', title: 'Save', method: 'POST', path: '/soap/', tags: ['Orders'] });
  expect(operation?.parameters).toMatchObject([{ name: 'sap-client', in: 'query', schema: { default: '100' } }]);
  expect(operation?.soap).toMatchObject({ version: '1.1', action: 'urn:shop#save', namespaces: ['urn:shop'] });
  expect(operation?.soap?.input).toEqual([{ key: 'request', name: 'request', ns: 0, type: 'Order' }]);
  expect(api.definitions['Order']).toEqual({
    type: 'object',
    properties: {
      number: { type: 'string', maxLength: 10, pattern: String.raw`^(?:[A-Z]\d+)$` },
      '@state': { type: 'string', enum: ['open', 'paid'] },
      at: { type: 'string', format: 'date-time', description: 'When it was placed.' },
      row: { type: 'array', items: { $ref: '#/$defs/Row' } },
      customer: { type: 'integer', format: 'int32' },
      guest: { type: 'string' },
      note: { type: ['string', 'null'] },
      total: { $ref: '#/$defs/total' },
      parent: { $ref: '#/$defs/Order' },
      paid: { type: 'boolean' },
    },
    required: ['number', '@state', 'paid'],
  });
  expect(api.definitions['total']).toEqual({
    type: 'object',
    properties: { '#text': { type: 'number' }, '@currency': { type: 'string' } },
  });
});

test('a data set of .NET, which is a schema and anything, is open', async () => {
  const schema = `<xs:element name="request"/><xs:element name="response"><xs:complexType><xs:sequence><xs:element name="set"><xs:complexType><xs:sequence><xs:element ref="xs:schema"/><xs:any/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>`;
  const { operations, skipped } = await read(wsdlText({ schema, rest: documentService() }));
  expect(skipped).toEqual([]);
  expect(operations[0]?.soap?.types['set']).toEqual({ members: [], open: true });
});

test('a recursive type becomes a form that ends', async () => {
  const { nodes, credentialTypes } = makePackage(
    await read(wsdlText({ schema: order, rest: documentService() })),
    { all: true },
    'shop',
  );
  const body = nodes[0]?.config?.find(({ key }) => key === 'body');
  expect(body?.fields?.map(({ key, type, required }) => `${key} ${type}${required === true ? '!' : ''}`)).toEqual([
    'number string!',
    '@state select!',
    'at string',
    'row list',
    'customer number',
    'guest string',
    'note string',
    'total object',
    'parent json',
    'paid boolean!',
  ]);
  expect(body?.fields?.find(({ key }) => key === 'parent')?.fields).toBeUndefined();
  expect(nodes[0]?.branches).toEqual(['success', 'fault', 'other']);
  expect(credentialTypes.map(({ sends }) => sends?.[0]?.as)).toEqual(['basic', 'username_token', 'bearer']);
});

const faulty = {
  schema: `${order}<xs:element name="OutOfStock"><xs:complexType><xs:sequence><xs:element name="sku" type="xs:string"/></xs:sequence></xs:complexType></xs:element>`,
  rest: `<message name="f"><part name="p" element="t:OutOfStock"/></message>${documentService({
    faults: '<fault name="OutOfStock" message="t:f"/>',
    boundFaults: '<fault name="OutOfStock"><soap:fault name="OutOfStock" use="literal"/></fault>',
  })}`,
};

test('each described fault has a branch with its detail', async () => {
  const { nodes } = makePackage(await read(wsdlText(faulty)), { all: true }, 'shop');
  expect(nodes[0]?.branches).toEqual(['success', 'fault-out-of-stock', 'fault', 'other']);
  expect(nodes[0]?.output_schemas?.['fault-out-of-stock']).toMatchObject({
    properties: {
      body: { properties: { faultstring: {}, detail: { properties: { OutOfStock: { properties: { sku: {} } } } } } },
    },
  });
});

test.each<[what: string, text: string, skipped: RegExp]>([
  [
    'a type that is in another file',
    wsdlText({
      schema:
        '<xs:import namespace="urn:else" schemaLocation="https://else.example/a.xsd"/><xs:element name="request" xmlns:e="urn:else" type="e:T"/><xs:element name="response"/>',
      rest: documentService(),
    }),
    /^Save: .*"T" of "urn:else", which is in another file, and nothing is fetched/,
  ],
  ['an element that is nowhere', wsdlText({ rest: documentService() }), /^Save: .*element "request".*does not contain/],
  [
    'a binding to plain HTTP',
    wsdlText({
      schema: order,
      rest: documentService().replace(
        '<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>',
        '<http:binding verb="GET"/>',
      ),
    }),
    /^port OrdersPort: It is bound to plain HTTP instead of SOAP/,
  ],
  [
    'another transport',
    wsdlText({ schema: order, rest: documentService().replace('http://schemas.xmlsoap.org/soap/http', 'urn:jms') }),
    /^port OrdersPort: It is sent by "urn:jms"/,
  ],
  [
    'an address of another protocol',
    wsdlText({ schema: order, rest: documentService({ address: 'jms:queue' }) }),
    /^port OrdersPort: Its address/,
  ],
  [
    'a name of markup',
    wsdlText({
      schema:
        '<xs:element name="request"><xs:complexType><xs:sequence><xs:element name="&lt;b&gt;" type="xs:int"/></xs:sequence></xs:complexType></xs:element><xs:element name="response"/>',
      rest: documentService(),
    }),
    /^Save: It uses the name/,
  ],
  [
    'an action that ends a header',
    wsdlText({ schema: order, rest: documentService().replace('urn:shop#save', 'a&#10;X-Evil: 1') }),
    /^Save: Its SOAPAction has characters/,
  ],
  [
    'parts that are no elements',
    wsdlText({ schema: order, rest: documentService().replace('element="t:request"', 'type="t:Order"') }),
    /^Save: .*part "body" without an element/,
  ],
  [
    'an import',
    wsdlText({ rest: '<import namespace="urn:x" location="https://else.example/b.wsdl"/>' }),
    /^import of https.*nothing is fetched/,
  ],
  [
    'types that extend each other',
    wsdlText({
      schema:
        '<xs:element name="request" type="t:A"/><xs:element name="response"/><xs:complexType name="A"><xs:complexContent><xs:extension base="t:A"/></xs:complexContent></xs:complexType>',
      rest: documentService(),
    }),
    /^Save: .*extends more than 50 others/,
  ],
  [
    'groups that contain each other',
    wsdlText({
      schema:
        '<xs:element name="request"><xs:complexType><xs:group ref="t:G"/></xs:complexType></xs:element><xs:element name="response"/><xs:group name="G"><xs:sequence><xs:group ref="t:G"/></xs:sequence></xs:group>',
      rest: documentService(),
    }),
    /^Save: .*groups that are nested more than 50 times/,
  ],
])('an operation with %s is skipped with the reason', async (_, text, skipped) => {
  const api = await read(text);
  expect(api.operations).toEqual([]);
  expect(api.skipped.map(({ operation, reason }) => `${operation}: ${reason}`)).toEqual([
    expect.stringMatching(skipped),
  ]);
});

test('operations with the same name, and names of 120 characters, get different names', async () => {
  const long = 'A'.repeat(120);
  const operations = ['Get', 'Get', long].map(
    (name, index) => `<operation name="${name}"><input name="i${index}" message="t:m${index}"/></operation>`,
  );
  const bound = ['Get', 'Get', long].map(
    (name, index) =>
      `<operation name="${name}"><soap:operation soapAction="${index}"/><input name="i${index}"><soap:body use="literal"/></input></operation>`,
  );
  const api = await read(
    wsdlText({
      schema:
        '<xs:element name="e0" type="xs:int"/><xs:element name="e1" type="xs:string"/><xs:element name="e2" type="xs:string"/>',
      rest: `${[0, 1, 2].map((index) => `<message name="m${index}"><part name="p" element="t:e${index}"/></message>`).join('')}
        <portType name="P">${operations.join('')}</portType><binding name="B" type="t:P"><soap:binding/>${bound.join('')}</binding>`,
    }),
  );
  expect(api.skipped).toEqual([]);
  expect(api.operations.map(({ soap }) => soap?.input[0]?.name)).toEqual(['e0', 'e1', 'e2']);
  const names = api.operations.map(({ name }) => name);
  expect(new Set(names).size).toBe(3);
  expect(names).toEqual([
    expect.stringMatching(/^get-\w{6}$/),
    expect.stringMatching(/^get-\w{6}$/),
    expect.stringMatching(/^.{1,64}$/),
  ]);
});

test('a service that offers its operations by both versions of SOAP gets one node for each', async () => {
  const first = documentService();
  const second = `<binding name="B12" type="t:P"><soap12:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Save"><soap12:operation/><input><soap12:body use="literal"/></input></operation></binding>`;
  const rest = first
    .replace('<service', `${second}<service`)
    .replace(
      '</service>',
      '<port name="P12" binding="t:B12"><soap12:address location="https://shop.example/"/></port></service>',
    );
  const api = await read(wsdlText({ schema: order, rest }));
  expect(api.operations.map(({ soap }) => soap?.version)).toEqual(['1.1']);
  expect(api.skipped).toEqual([
    { operation: 'port P12', reason: 'It offers the operations of the port OrdersPort by SOAP 1.2.' },
  ]);
});

const bomb = `<!DOCTYPE lolz [<!ENTITY lol "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY lol${at + 1} "${`&lol${at || ''};`.repeat(10)}">`).join('')}]>`;

test.each<[what: string, text: string, message: RegExp]>([
  [
    'entities that expand to gigabytes',
    wsdlText({ rest: '<message name="&lol9;"/>', prefix: bomb }),
    /DOCTYPE with declarations/,
  ],
  [
    'an entity that names a file',
    wsdlText({ rest: '', prefix: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' }),
    /DOCTYPE with declarations/,
  ],
  ['nesting', wsdlText({ rest: `${'<a>'.repeat(500)}${'</a>'.repeat(500)}` }), /deeper than 200/],
  ['a prefix without a namespace', wsdlText({ rest: '<x:message/>' }), /prefix "x" without declaring/],
  ['another root', '<definitions xmlns="urn:other" a="http://schemas.xmlsoap.org/wsdl/"/>', /no WSDL 1.1/],
  ['50 MB', wsdlText({ rest: ' '.repeat(50_000_001) }), /at most 50 MB/],
])('a description with %s is refused', async (_, text, message) => {
  const bytes = Buffer.from(text);
  await expect(readDescription(bytes)).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(message) as string,
  });
});

test('a long chain of types, and many operations that use many types, do not stop the reader', async () => {
  const chain = Array.from(
    { length: 1_200 },
    (_, at) =>
      `<xs:complexType name="T${at}"><xs:sequence><xs:element name="a" type="t:T${at + 1}" minOccurs="0"/></xs:sequence></xs:complexType>`,
  );
  const schema = `<xs:element name="request" type="t:T0"/><xs:element name="response"/><xs:complexType name="T1200"/>${chain.join('')}`;
  const operation = (at: number) => `<operation name="o${at}"><input message="t:in"/></operation>`;
  const bound = (at: number) => `<operation name="o${at}"><input><soap:body use="literal"/></input></operation>`;
  const numbers = Array.from({ length: 200 }, (_, at) => at);
  const rest = `<message name="in"><part name="body" element="t:request"/></message><portType name="P">${numbers.map(operation).join('')}</portType><binding name="B" type="t:P"><soap:binding/>${numbers.map(bound).join('')}</binding>`;
  const text = wsdlText({ schema, rest });
  const api = await read(text);
  expect(api.operations).toEqual([]);
  expect(api.skipped[0]?.reason).toBe('It uses more than 1000 types.');
});
