import { connectionType, field as credentialField } from '#src/automation/core-nodes/credential-parts.ts';
import { field, node, required } from '#src/automation/core-nodes/manifest-parts.ts';
import type { CredentialTypeManifest, NodeManifest } from '#src/automation/node-api/manifest.ts';

const addresses =
  'One address or several with commas between, or a list. Each may have a name: `Sales <sales@example.com>`.';

export const sendMailManifest: NodeManifest = node(
  'send-mail',
  'action',
  'Send mail',
  'Sends one mail over an SMTP server.',
  [
    field('credential', 'credentials-ref', 'Server', { ...required, credential_types: ['core:smtp'] }),
    field('to', 'string', 'To', { ...required, help: addresses }),
    field('cc', 'string', 'Copy to'),
    field('bcc', 'string', 'Hidden copy to'),
    field('reply_to', 'string', 'Answers go to'),
    field('subject', 'string', 'Subject', required),
    field('text', 'text', 'Text'),
    field('html', 'text', 'HTML'),
    field('attachments', 'list', 'Attachments', { help: 'Files of other steps, at most 20 with 25 MiB together.' }),
  ],
  [
    { name: 'message_id', type: 'string' },
    { name: 'accepted', type: 'array', description: 'The addresses that the server accepted.' },
    { name: 'rejected', type: 'array', description: 'The addresses that it refused.' },
  ],
);

export const smtpCredentialType: CredentialTypeManifest = connectionType(
  'smtp',
  'SMTP server',
  'Sends mail over an SMTP server.',
  [
    credentialField('host', 'string', 'Host', { ...required, help: 'For example smtp.example.com.' }),
    credentialField('port', 'number', 'Port', { help: 'By default 587, or 465 with TLS from the first byte.' }),
    credentialField('tls', 'select', 'TLS', {
      default: 'starttls',
      options: [
        { value: 'starttls', label: 'After STARTTLS' },
        { value: 'implicit', label: 'From the first byte' },
        { value: 'none', label: 'None: name, password and mails can be read on the way' },
      ],
    }),
    credentialField('username', 'string', 'User'),
    credentialField('password', 'secret', 'Password'),
    credentialField('from', 'string', 'Sender', { ...required, help: 'An address, or `Shop <shop@example.com>`.' }),
    credentialField('ca', 'text', 'Authority of the server', {
      help: 'PEM. Empty if a public authority signed the certificate of the server.',
    }),
  ],
);
