import { expect, test } from 'vitest';
import type { ApiCall, CallSoap } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const soap: CallSoap = {
  version: '1.1',
  action: 'urn:shop#save',
  input: [{ key: 'request', name: 'request', ns: 0, type: 'Order' }],
  output: [{ key: 'response', name: 'response', ns: 0, type: 'Saved' }],
  types: {
    Order: {
      members: [
        { key: 'number', name: 'number', ns: 0, type: 'xs:string' },
        { key: 'at', name: 'at', type: 'xs:dateTime' },
        { key: 'row', name: 'row', ns: 0, type: 'Row', list: true },
        { key: 'note', name: 'note', ns: 0, type: 'xs:string', nillable: true },
        { key: 'parent', name: 'parent', ns: 0, type: 'Order' },
        { key: '@state', name: 'state', type: 'xs:string', as: 'attribute' },
      ],
    },
    Row: {
      members: [
        { key: '#text', name: '', type: 'xs:decimal', as: 'text' },
        { key: '@sku', name: 'sku', type: 'xs:string', as: 'attribute' },
      ],
    },
    Saved: {
      members: [
        { key: 'id', name: 'id', ns: 0, type: 'xs:long' },
        { key: 'price', name: 'price', ns: 0, type: 'xs:decimal' },
        { key: 'isNew', name: 'isNew', ns: 0, type: 'xs:boolean' },
        { key: 'row', name: 'row', ns: 0, type: 'Row', list: true },
        { key: 'note', name: 'note', ns: 0, type: 'xs:string' },
        { key: 'any', name: 'any', ns: 0, type: 'xs:anyType' },
      ],
    },
    OutOfStock: { members: [{ key: 'sku', name: 'sku', ns: 0, type: 'xs:string' }] },
  },
  namespaces: ['urn:shop'],
};

const call: Partial<ApiCall> = {
  method: 'POST',
  path: '/soap/',
  body: { field: 'body', media_type: 'text/xml', as: 'xml' },
  soap,
  answers: [
    { status: '2XX', branch: 'success' },
    {
      status: 'fault',
      branch: 'fault-out-of-stock',
      fault: { key: 'OutOfStock', name: 'OutOfStock', ns: 0, type: 'OutOfStock' },
    },
    { status: 'fault', branch: 'fault' },
    { status: 'default', branch: 'other' },
  ],
};

const spaces = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};
const envelope = (body: string, version: '1.1' | '1.2' = '1.1'): string =>
  `<e:Envelope xmlns:e="${spaces[version]}" xmlns:s="urn:shop" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><e:Body>${body}</e:Body></e:Envelope>`;

const answer = (body: string, status = 200, type = 'text/xml; charset=utf-8'): void =>
  calls.answerWith(() => ({ status, type, body }));

const sendBody = async (body: unknown, changes: Partial<ApiCall> = {}): Promise<string> => {
  answer(envelope('<s:response/>'));
  await calls.send({ ...call, ...changes }, { body });
  return /<soap:Body>(.*)<\/soap:Body>/.exec(calls.last().text)?.[1] ?? '';
};

test.each<[what: string, body: unknown, xml: string]>([
  [
    'the order of the type, whatever that of the value is',
    { row: [{ '@sku': 'a', '#text': 1.5 }], '@state': 'open', number: 'A1' },
    '<n0:request state="open"><n0:number>A1</n0:number><n0:row sku="a">1.5</n0:row></n0:request>',
  ],
  [
    'escaped text',
    { number: '<b>&"\u0027]]>\r', '@state': '"\n<' },
    '<n0:request state="&quot;&#10;&lt;"><n0:number>&lt;b&gt;&amp;&quot;\']]&gt;&#13;</n0:number></n0:request>',
  ],
  ['null only where it is allowed', { number: null, note: null }, '<n0:request><n0:note xsi:nil="true"/></n0:request>'],
  [
    'numbers without an exponent',
    { row: [{ '#text': 1e21 }, { '#text': 1e-7 }] },
    '<n0:request><n0:row>1000000000000000000000</n0:row><n0:row>0.0000001</n0:row></n0:request>',
  ],
  ['an instant with seconds', { at: '2026-03-01 12:00Z' }, '<n0:request><at>2026-03-01T12:00:00Z</at></n0:request>'],
  ['a number for an element with attributes', { row: [2] }, '<n0:request><n0:row>2</n0:row></n0:request>'],
  ['nothing', undefined, '<n0:request/>'],
])('the envelope has %s', async (_, body, xml) => {
  expect(await sendBody(body)).toBe(xml);
});

test.each<[what: string, body: unknown, message: RegExp]>([
  ['a member that the type lacks', { nubmer: 1 }, /config\.body: has no member "nubmer"/],
  ['a list for one value', { number: ['a'] }, /config\.body\.number: must be one value/],
  ['an object for text', { number: { a: 1 } }, /config\.body\.number: must be text/],
  ['text for an object', { parent: 'a' }, /config\.body\.parent: must be an object/],
  ['control characters', { row: [{ '@sku': '\u0000' }] }, /config\.body\.row\.0\.@sku: has control characters/],
])('%s is refused before anything is sent', async (_, body, message) => {
  await expect(sendBody(body)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(message) as string,
  });
  expect(calls.seen).toEqual([]);
});

test.each<['1.1' | '1.2', Record<string, unknown>]>([
  ['1.1', { soapaction: '"urn:shop#save"', 'content-type': 'text/xml; charset=utf-8' }],
  ['1.2', { 'content-type': 'application/soap+xml; charset=utf-8; action="urn:shop#save"' }],
])('SOAP %s names its action in its own way', async (version, headers) => {
  await sendBody({ number: 'A1' }, { soap: { ...soap, version } });
  expect(calls.last().headers).toMatchObject(headers);
  expect(calls.last().text).toContain(`xmlns:soap="${spaces[version]}"`);
});

test('headers and the token of a credential are in the header of the envelope', async () => {
  answer(envelope('<s:response/>'));
  const headers = [{ key: 'Session', name: 'Session', ns: 0, type: 'xs:string' }];
  const parameters: ApiCall['parameters'] = [
    { field: 'session', name: 'Session', in: 'envelope', style: 'simple', explode: false },
  ];
  await calls.send(
    { ...call, soap: { ...soap, headers }, parameters, credential: 'credential' },
    { body: {}, session: '7', credential: '7' },
    {
      credential: {
        sends: [{ as: 'username_token', username: 'user', password: 'password' }],
        fields: { user: 'ada', password: 'a<b', base_url: calls.url },
      },
    },
  );
  const { text } = calls.last();
  expect(text).toMatch(
    /<soap:Header><wsse:Security [^>]*soap:mustUnderstand="1"><wsse:UsernameToken><wsse:Username>ada<\/wsse:Username><wsse:Password Type="[^"]*#PasswordText">a&lt;b<\/wsse:Password>/,
  );
  expect(text).toContain('<n0:Session>7</n0:Session></soap:Header>');
  expect(calls.derived).toEqual(['a&lt;b']);
});

test('encoded values of the style rpc carry their types', async () => {
  const types = {
    '#input': {
      members: [
        { key: 'ids', name: 'ids', type: 'Ids' },
        { key: 'order', name: 'order', type: 'Order' },
      ],
    },
    Ids: { members: [{ key: 'item', name: 'item', type: 'xs:int', list: true }], array: true },
    Order: { members: [{ key: 'paid', name: 'paid', type: 'xs:boolean' }], name: 'Order', ns: 0 },
  };
  const rpc: CallSoap = {
    ...soap,
    rpc: true,
    encoded: true,
    input: [{ key: 'save', name: 'save', ns: 0, type: '#input' }],
    types,
  };
  expect(await sendBody({ order: { paid: true }, ids: [1, 2] }, { soap: rpc })).toBe(
    '<n0:save soap:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><ids xsi:type="enc:Array" enc:arrayType="xsd:int[2]"><item xsi:type="xsd:int">1</item><item xsi:type="xsd:int">2</item></ids><order xsi:type="n0:Order"><paid xsi:type="xsd:boolean">true</paid></order></n0:save>',
  );
});

const bodyAfter = async (xml: string, changes: Partial<ApiCall> = {}): Promise<unknown> => {
  answer(xml);
  return (await calls.send({ ...call, ...changes }, { body: {} })).outputs['body'];
};

test.each<[what: string, xml: string, body: unknown]>([
  [
    'types, and lists of one',
    '<s:response><s:id>7</s:id><s:price>+07.50</s:price><s:isNew>1</s:isNew><s:row sku="a">1</s:row></s:response>',
    { id: 7, price: 7.5, isNew: true, row: [{ '#text': 1, '@sku': 'a' }] },
  ],
  [
    'numbers that a double cannot hold',
    '<s:response><s:id>9007199254740993</s:id><s:price>0.12345678901234567890</s:price></s:response>',
    { id: '9007199254740993', price: '0.12345678901234567890', row: [] },
  ],
  ['nil', '<s:response><s:note xsi:nil="true"/></s:response>', { note: null, row: [] }],
  [
    'text that is no number',
    '<s:response><s:price>n/a</s:price><s:id/></s:response>',
    { price: 'n/a', id: '', row: [] },
  ],
  [
    'elements that the type lacks',
    '<s:response><s:new><s:a>1</s:a><s:a>2</s:a></s:new></s:response>',
    { new: { a: ['1', '2'] }, row: [] },
  ],
  ['any type', '<s:response><s:any xsi:type="xsd:int">5</s:any></s:response>', { any: 5, row: [] }],
  ['elements of the wrong namespace', '<response><id>7</id></response>', { id: 7, row: [] }],
  [
    'names that objects inherit',
    '<s:response><s:__proto__><s:a>1</s:a></s:__proto__><s:constructor>x</s:constructor></s:response>',
    JSON.parse('{"row": [], "__proto__": {"a": "1"}, "constructor": "x"}'),
  ],
  ['no content', '', null],
])('an answer is read with %s', async (_, xml, body) => {
  for (const version of ['1.1', '1.2'] as const) expect(await bodyAfter(envelope(xml, version))).toEqual(body);
});

test('references between encoded values are followed, but never in a circle', async () => {
  const types = {
    '#output': { members: [{ key: 'order', name: 'order', type: 'Order' }] },
    Order: {
      members: [
        { key: 'id', name: 'id', type: 'xs:int' },
        { key: 'parent', name: 'parent', type: 'Order' },
      ],
    },
  };
  const rpc: CallSoap = {
    ...soap,
    rpc: true,
    encoded: true,
    output: [{ key: 'r', name: 'r', type: '#output' }],
    types,
  };
  const xml =
    '<s:saveResponse><order href="#1"/></s:saveResponse><multiRef id="1"><id>7</id><parent href="#1"/></multiRef>';
  expect(await bodyAfter(envelope(xml), { soap: rpc })).toEqual({ order: { id: 7, parent: null } });
  const many = { ...types, '#output': { members: [{ key: 'order', name: 'order', type: 'xs:string', list: true }] } };
  const large = `<s:saveResponse>${'<order href="#1"/>'.repeat(1_000)}</s:saveResponse><multiRef id="1">${'x'.repeat(100_000)}</multiRef>`;
  await expect(bodyAfter(envelope(large), { soap: { ...rpc, types: many } })).rejects.toThrow(
    /refers to its own parts/,
  );
});

const described =
  '<e:Fault><faultcode>e:Client</faultcode><faultstring>None left</faultstring><detail><s:OutOfStock><s:sku>a</s:sku></s:OutOfStock></detail></e:Fault>';
const other =
  '<e:Fault><e:Code><e:Value>e:Sender</e:Value></e:Code><e:Reason><e:Text>No such shop</e:Text></e:Reason><e:Detail><x:Trace xmlns:x="urn:x">t</x:Trace></e:Detail></e:Fault>';

test.each<[what: string, xml: string, status: number, edges: string[], branch: string, body: object]>([
  [
    'a described fault',
    envelope(described),
    500,
    ['fault-out-of-stock', 'fault'],
    'fault-out-of-stock',
    { faultcode: 'e:Client', faultstring: 'None left', detail: { OutOfStock: { sku: 'a' } } },
  ],
  [
    'a described fault without an edge of its own',
    envelope(described),
    500,
    ['fault'],
    'fault',
    { faultstring: 'None left' },
  ],
  ['a fault with status 200', envelope(described), 200, ['fault'], 'fault', { faultstring: 'None left' }],
  [
    'a fault of another version',
    envelope(other, '1.2'),
    400,
    ['fault', 'fault-out-of-stock'],
    'fault',
    { faultcode: 'e:Sender', faultstring: 'No such shop', detail: { Trace: 't' } },
  ],
])('%s continues along its branch', async (_, xml, status, edges, branch, body) => {
  answer(xml, status);
  const result = await calls.send(call, { body: {} }, { edges });
  expect(result.branch).toBe(branch);
  expect(result.outputs['body']).toMatchObject(body);
});

const html = '<html><body>Bad gateway</body></html>';
test.each<[what: string, xml: string, status: number, type: string, error: object]>([
  [
    'a fault without an edge',
    envelope(described),
    500,
    'text/xml',
    {
      code: 'SOAP_FAULT',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered the fault e:Client: None left$/) as string,
      retryable: false,
    },
  ],
  ['a fault with status 200', envelope(described), 200, 'text/xml', { code: 'SOAP_FAULT' }],
  [
    'an error page',
    html,
    502,
    'text/html',
    { code: 'HTTP_STATUS', message: expect.stringMatching(/answered 502/) as string },
  ],
  ['an error page that claims to be XML', html, 500, 'text/xml', { code: 'HTTP_STATUS' }],
  [
    'a page with status 200',
    html,
    200,
    'text/html',
    { code: 'UNREADABLE', message: expect.stringMatching(/text\/html instead of an envelope/) as string },
  ],
  ['another document', '<a/>', 200, 'text/xml', { code: 'UNREADABLE' }],
  [
    'an envelope of another version',
    '<Envelope xmlns="urn:soap:3"/>',
    200,
    'text/xml',
    { code: 'UNREADABLE', message: expect.stringMatching(/only SOAP 1\.1 and 1\.2/) as string },
  ],
  [
    'an envelope with entities',
    `<!DOCTYPE a [<!ENTITY b "c">]>${envelope('<s:response/>')}`,
    200,
    'text/xml',
    { code: 'UNREADABLE' },
  ],
])('%s fails the step', async (_, xml, status, type, error) => {
  answer(xml, status, type);
  await expect(calls.send(call, { body: {} })).rejects.toMatchObject(error);
});

test('an empty answer of a one-way operation is a success', async () => {
  answer('', 202);
  expect(await calls.send(call, { body: {} })).toMatchObject({
    branch: 'success',
    outputs: { status: 202, body: null },
  });
});
