import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { mailboxManifests } from './mailboxes/manifests.ts';
import { field, node, oneOf, required } from './manifest-parts.ts';
import { remoteFileManifests } from './remote-files/manifests.ts';
import { sendMailManifest } from './send-mail/manifests.ts';

const format = field('format', 'select', 'Format', { ...required, ...oneOf('csv', 'json', 'xml', 'xlsx', 'zip') });
const formatOptions = field('options', 'json', 'Options', {
  help: 'csv: delimiter, header (whether the first line names the columns). xlsx: sheet, header. xml: root (the outermost element, written), lists (names or paths of elements that are lists even if there is one, read).',
});
const namespace = field('namespace', 'string', 'Namespace', {
  ...required,
  help: 'A part of the state store, where values stay from one run to the next. The workflow declares those that it uses.',
});
const listHelp = 'A list, or an expression that yields one: `{{ trigger.payload.lines }}`.';
const stateKey = field('key', 'string', 'Key', required);

/**
 * The manifests of package `core`, in the form of any package's. Their code is the product's own and runs in the worker, so none has an
 * `entry`.
 */
export const coreNodeManifests: readonly NodeManifest[] = [
  node('set', 'transform', 'Set values', 'Computes values; each member becomes an output.', [
    field('values', 'json', 'Values', { ...required, help: 'An object; strings may hold {{ expressions }}.' }),
  ]),
  node(
    'if',
    'control',
    'If',
    'Goes on along `true` or `false`.',
    [
      field('condition', 'expression', 'Condition', {
        ...required,
        help: 'An expression, such as `$count(trigger.payload.body.lines) > 0`. No value counts as false.',
      }),
    ],
    [],
    { branches: ['true', 'false'] },
  ),
  node(
    'switch',
    'control',
    'Switch',
    'Goes on along the branch of the first case that equals the value, else along `default`.',
    [
      field('value', 'expression', 'Value', required),
      field('cases', 'list', 'Cases', { ...required, help: 'Each is {equals, branch}.' }),
    ],
    [],
    { branches_from: 'cases' },
  ),
  node('merge', 'control', 'Merge', 'Waits for every live branch; its outputs are theirs, by node id.', []),
  node(
    'filter',
    'transform',
    'Filter',
    'Keeps the items for which the condition holds.',
    [
      field('items', 'list', 'Items', { ...required, help: listHelp }),
      field('condition', 'expression', 'Condition', { ...required, help: 'Sees `item` and `index`.' }),
    ],
    [{ name: 'items', type: 'array' }],
  ),
  node(
    'for-each',
    'control',
    'For each',
    'Runs a body of nodes for every item, some at a time; results keep the order of the items.',
    [
      field('items', 'list', 'Items', { ...required, help: `${listHelp} The body sees \`item\` and \`index\`.` }),
      field('concurrency', 'number', 'At a time', { default: 1 }),
      field('body', 'json', 'Body', { ...required, help: '{nodes, edges}, as in a workflow.' }),
      field('on_error', 'select', 'When an item fails', { default: 'fail', ...oneOf('fail', 'continue') }),
      field('next', 'string', 'Next item from', {
        help: 'An output of a node in the body, such as `read.next`: after each item, its value becomes one more item, until it is null.',
      }),
    ],
    [{ name: 'results', type: 'array' }],
  ),
  node(
    'wait',
    'control',
    'Wait',
    'Waits for a duration, until a date, or until the run is resumed from outside. Exactly one of the three.',
    [
      field('duration_ms', 'number', 'Duration in milliseconds'),
      field('until', 'string', 'Until', { help: 'ISO 8601 date and time.' }),
      field('resume', 'boolean', 'Wait for a resume call', {
        help: 'POST /api/v1/runs/{id}/resume with the token that the step shows.',
      }),
    ],
    [{ name: 'data', description: 'What the resume call brought.' }],
  ),
  node(
    'sub-workflow',
    'control',
    'Sub-workflow',
    'Starts a run of another workflow and, unless told otherwise, waits for its result.',
    [
      field('workflow_id', 'number', 'Workflow', required),
      field('payload', 'json', 'Payload'),
      field('wait', 'boolean', 'Wait for the result', { default: true }),
    ],
    [{ name: 'run_id', type: 'number' }, { name: 'result' }],
  ),
  node(
    'http-request',
    'action',
    'HTTP request',
    'Calls an HTTP interface.',
    [
      field('method', 'select', 'Method', {
        default: 'GET',
        ...oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      }),
      field('url', 'url', 'URL', required),
      field('headers', 'json', 'Headers', {
        help: 'Such as {"Accept": "text/csv"}. Requests that change something carry an Idempotency-Key unless one is given.',
      }),
      field('query', 'json', 'Query', { help: 'Such as {"page": "1"}.' }),
      field('body', 'json', 'Body', {
        help: 'Text and files go out as they are, anything else as the body type says.',
      }),
      field('body_type', 'select', 'Body type', {
        help: 'json (the default), form for name=value pairs, or multipart for fields and files.',
        ...oneOf('json', 'form', 'multipart'),
      }),
      field('answer', 'select', 'Answer as', {
        default: 'content',
        help: 'content: JSON, text, or base64 of anything else. file: a file reference, for any size. auto: a file unless it is text or a form.',
        ...oneOf('content', 'file', 'auto'),
      }),
      field('timeout_ms', 'number', 'Timeout in milliseconds', { default: 15_000 }),
      field('max_redirects', 'number', 'Redirects to follow', {
        help: 'At most 10. By default 5 for GET and HEAD, and none otherwise.',
      }),
      field('credential', 'credentials-ref', 'Credential', {
        credential_types: [
          'core:bearer',
          'core:basic',
          'core:api-key',
          'core:oauth2',
          'core:session',
          'core:client-certificate',
        ],
      }),
      field('host_from', 'string', 'Host from the credential', {
        help: "A member of the credential or of its provider's token answer, such as instance_url: its host is called instead of the URL's.",
      }),
      field('paging', 'json', 'Paging', {
        help: 'Reads all pages of a list: {by: next_link, cursor, offset or page, items: where the list stands in the answer}. With `position` ("first", or the output `next` of the page before), it reads one page.',
      }),
      field('fail_on_status', 'boolean', 'Fail on a status of 400 or more', { default: true }),
    ],
    [
      { name: 'status', type: 'number' },
      { name: 'headers', type: 'object' },
      { name: 'body' },
      { name: 'pages', type: 'number', description: 'With paging: how many were read.' },
      { name: 'complete', type: 'boolean', description: 'With paging: false where a limit stopped it.' },
      {
        name: 'next',
        type: 'object',
        description: 'With a position in paging: that of the next page, null after the last one.',
      },
    ],
  ),
  node(
    'respond',
    'control',
    'Respond',
    "Sets the run's result. A webhook whose caller waits for the result is answered with it.",
    [field('value', 'json', 'Value', required)],
    [{ name: 'value' }],
  ),
  node(
    'state-get',
    'action',
    'Read state',
    "Reads an entry of the tenant's state store.",
    [namespace, stateKey, field('default', 'json', 'Default', { help: 'The value where there is no entry.' })],
    [{ name: 'value' }, { name: 'version', type: 'number' }, { name: 'found', type: 'boolean' }],
  ),
  node(
    'state-set',
    'action',
    'Write state',
    "Writes an entry of the tenant's state store.",
    [
      namespace,
      stateKey,
      field('value', 'json', 'Value', required),
      field('version', 'number', 'Version', { help: 'Write only over this version.' }),
      field('ttl_seconds', 'number', 'Seconds until it expires'),
    ],
    [{ name: 'version', type: 'number' }],
  ),
  node('emit-event', 'action', 'Emit event', 'Publishes an event that webhooks, triggers and subscriptions receive.', [
    field('topic', 'string', 'Topic', required),
    field('data', 'json', 'Data'),
  ]),
  node(
    'parse',
    'transform',
    'Parse',
    'Reads text or a file as CSV, JSON or XML, a file as a workbook, or the files of an archive.',
    [
      format,
      field('text', 'expression', 'Text', {
        ...required,
        help: 'Text or a file reference; xlsx and zip are read from a file.',
      }),
      formatOptions,
    ],
    [{ name: 'data' }],
  ),
  node(
    'render',
    'transform',
    'Render',
    'Writes data as CSV, JSON or XML, a workbook, or an archive of files.',
    [
      format,
      field('data', 'expression', 'Data', { ...required, help: 'zip: a list of file references.' }),
      field('file_name', 'string', 'File name', {
        help: 'If given, the result is a file of this name; xlsx and zip always are one.',
      }),
      formatOptions,
    ],
    [
      { name: 'text', type: 'string' },
      { name: 'file', type: 'object', description: 'A file reference, in place of the text.' },
    ],
  ),
  node(
    'code',
    'transform',
    'Code',
    'Runs TypeScript in the sandbox. The members of the object that it returns are the outputs.',
    [
      field('code', 'text', 'Code', {
        ...required,
        format: 'typescript',
        help: 'The body of an async function with `trigger`, `nodes`, `inputs`, `item`, `index`, `values`, `log`, `state`, `http` and `files` in scope. {{ }} has no meaning in it.',
      }),
      field('values', 'json', 'Values', {
        help: 'An object that the code reads as `values`; strings may hold {{ expressions }}, also of secrets.',
      }),
    ],
  ),
  node(
    'sql',
    'action',
    'SQL',
    'Sends one statement to a database of the type of the credential: Postgres, MySQL or MariaDB.',
    [
      field('credential', 'credentials-ref', 'Credential', {
        ...required,
        credential_types: ['core:postgres', 'core:mysql'],
      }),
      field('statement', 'text', 'Statement', {
        ...required,
        format: 'sql',
        help: 'One statement with placeholders for its values: $1, $2 for Postgres, ? for MySQL and MariaDB. It holds no expressions.',
      }),
      field('parameters', 'list', 'Parameters', {
        help: 'The values of the placeholders in their order, such as ["{{ trigger.payload.id }}"].',
      }),
      field('mode', 'select', 'Mode', {
        default: 'read',
        ...oneOf('read', 'write'),
        help: 'read runs in a read-only transaction; write is committed.',
      }),
      field('answer', 'select', 'Answer', {
        default: 'rows',
        ...oneOf('rows', 'csv', 'ndjson'),
        help: 'rows are objects in the outputs. csv and ndjson are a file, into which any number of rows is streamed.',
      }),
      field('file_name', 'text', 'Name of the file', { help: 'rows.csv or rows.ndjson by default.' }),
      field('max_rows', 'number', 'Most rows', {
        help: '1,000 by default and at most 100,000 in the outputs; a file takes all rows by default.',
      }),
      field('on_limit', 'select', 'Above that', {
        default: 'fail',
        ...oneOf('fail', 'stop'),
        help: 'fail, or stop with what fits and the output truncated.',
      }),
      field('timeout_ms', 'number', 'Timeout in milliseconds', { default: 30_000 }),
    ],
    [
      { name: 'rows', type: 'array' },
      { name: 'file', type: 'object', description: 'The reference of the file.' },
      { name: 'row_count', type: 'number', description: 'Rows that were read, or that the statement changed.' },
      { name: 'truncated', type: 'boolean', description: 'Whether there are more rows than the limits let through.' },
    ],
  ),
  node('fail', 'control', 'Fail', 'Fails the run. A caller that waits for the result is refused with the message.', [
    field('message', 'text', 'Message', required),
  ]),
  ...remoteFileManifests,
  sendMailManifest,
  ...mailboxManifests,
];
