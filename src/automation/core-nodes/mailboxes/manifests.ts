import {
  connectionType,
  field as credentialField,
  oauthClientFields,
} from '#src/automation/core-nodes/credential-parts.ts';
import { field, node, required } from '#src/automation/core-nodes/manifest-parts.ts';
import type { CredentialTypeManifest, NodeManifest } from '#src/automation/node-api/manifest.ts';

const credential = field('credential', 'credentials-ref', 'Server', {
  ...required,
  credential_types: ['core:imap', 'core:imap-oauth2'],
});
const mail = field('mail', 'expression', 'Mail', {
  ...required,
  help: 'A mail of a list: `{{ trigger.payload.record }}` after a trigger that polls, or an item of a loop.',
});

/** The nodes for mailboxes on IMAP servers. */
export const mailboxManifests: readonly NodeManifest[] = [
  node(
    'list-mails',
    'action',
    'List mails',
    'Lists the mails of a mailbox on an IMAP server, in the order of their arrival. A trigger of type poll can use it.',
    [
      credential,
      field('mailbox', 'string', 'Mailbox', { default: 'INBOX' }),
      field('after', 'string', 'After', { help: 'The position of an earlier list. Empty: all mails.' }),
      field('since', 'string', 'Received since', { help: 'A date, such as 2026-01-31.' }),
      field('limit', 'number', 'At most', { default: 100, help: 'Up to 200 mails.' }),
    ],
    [
      { name: 'mails', type: 'array', description: 'Without text and attachments, which `core:get-mail` reads.' },
      { name: 'position', type: 'string', description: 'To continue after the last mail.' },
      { name: 'complete', type: 'boolean', description: 'False if there are more mails than the limit.' },
    ],
  ),
  node(
    'get-mail',
    'action',
    'Get mail',
    'Reads a mail from an IMAP server, with its text and its attachments. It stays unread.',
    [credential, mail],
    [
      { name: 'from', type: 'object', description: 'The sender: {name, address}.' },
      { name: 'subject', type: 'string' },
      { name: 'text', type: 'string', description: 'Null if the mail has none. At most 200,000 characters.' },
      { name: 'html', type: 'string', description: 'Null if the mail has none. At most 200,000 characters.' },
      { name: 'attachments', type: 'array', description: 'References for other nodes, at most 100.' },
      { name: 'complete', type: 'boolean', description: 'False if the text was cut or attachments were left out.' },
    ],
  ),
  node(
    'mark-mail',
    'action',
    'Mark mail',
    'Marks a mail on an IMAP server as read or unread.',
    [credential, mail, field('seen', 'boolean', 'Read', { default: true })],
    [{ name: 'seen', type: 'boolean' }],
  ),
  node(
    'move-mail',
    'action',
    'Move mail',
    'Moves a mail to another mailbox of an IMAP server.',
    [credential, mail, field('to', 'string', 'Mailbox', { ...required, help: 'It has to exist.' })],
    [
      { name: 'mailbox', type: 'string' },
      { name: 'uid', type: 'number', description: 'Null if the server does not tell.' },
      { name: 'uid_validity', type: 'number' },
    ],
  ),
];

const server = [
  credentialField('host', 'string', 'Host', { ...required, help: 'For example imap.example.com.' }),
  credentialField('port', 'number', 'Port', { help: 'By default 993, or 143 without TLS from the first byte.' }),
  credentialField('tls', 'select', 'TLS', {
    default: 'implicit',
    options: [
      { value: 'implicit', label: 'From the first byte' },
      { value: 'starttls', label: 'After STARTTLS' },
      { value: 'none', label: 'None: name, password and mails can be read on the way' },
    ],
  }),
  credentialField('ca', 'text', 'Authority of the server', {
    help: 'PEM. Empty if a public authority signed the certificate of the server.',
  }),
];

export const imapCredentialTypes: readonly CredentialTypeManifest[] = [
  connectionType('imap', 'IMAP server', 'Reads the mails of a user on an IMAP server.', [
    ...server,
    credentialField('username', 'string', 'User', required),
    credentialField('password', 'secret', 'Password', required),
  ]),
  {
    ...connectionType('imap-oauth2', 'IMAP server with OAuth', 'Reads the mails of a user with an access token.', [
      ...server,
      credentialField('username', 'string', 'User', { ...required, help: 'As a rule the address of the mailbox.' }),
      credentialField('grant_type', 'select', 'Grant', {
        options: [
          { value: 'authorization_code', label: 'Authorisation by a user' },
          { value: 'client_credentials', label: 'Client credentials' },
        ],
      }),
      ...oauthClientFields,
    ]),
    auth_kind: 'oauth2',
  },
];
