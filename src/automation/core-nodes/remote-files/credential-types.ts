import { connectionType, field, required } from '#src/automation/core-nodes/credential-parts.ts';
import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';

export const remoteFileCredentialTypes: readonly CredentialTypeManifest[] = [
  connectionType('sftp', 'SFTP server', 'Logs in to an SFTP server whose host key is known.', [
    field('host', 'string', 'Host', { ...required, help: 'For example files.example.com.' }),
    field('port', 'number', 'Port', { default: 22 }),
    field('username', 'string', 'User', required),
    field('password', 'secret', 'Password', { help: 'Empty if the user logs in with a key.' }),
    field('private_key', 'secret', 'Private key', {
      help: 'In the format of OpenSSH or PEM, with its first and last line.',
    }),
    field('passphrase', 'secret', 'Passphrase of the key'),
    field('host_key', 'string', 'Host key', {
      pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
      help: 'The fingerprint of the server. Without it, a step fails and says which key the server shows. Compare that with its operator.',
    }),
  ]),
  connectionType('ftp', 'FTP server', 'Logs in to an FTP server, over TLS unless it says otherwise.', [
    field('host', 'string', 'Host', { ...required, help: 'For example files.example.com.' }),
    field('port', 'number', 'Port', { help: 'By default 21, or 990 with TLS from the first byte.' }),
    field('username', 'string', 'User', required),
    field('password', 'secret', 'Password', required),
    field('security', 'select', 'TLS', {
      default: 'explicit',
      options: [
        { value: 'explicit', label: 'After AUTH TLS' },
        { value: 'implicit', label: 'From the first byte' },
        { value: 'none', label: 'None: name, password and files can be read on the way' },
      ],
    }),
    field('ca', 'text', 'Authority of the server', {
      help: 'PEM. Empty if a public authority signed the certificate of the server.',
    }),
  ]),
  connectionType('s3', 'S3 bucket', 'Signs requests to a bucket of S3, or of a service with its API.', [
    field('bucket', 'string', 'Bucket', { ...required, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$' }),
    field('region', 'string', 'Region', { ...required, pattern: '^[A-Za-z0-9-]{1,64}$', default: 'us-east-1' }),
    field('access_key_id', 'string', 'Access key', required),
    field('secret_access_key', 'secret', 'Secret key', required),
    field('endpoint', 'url', 'Endpoint', { help: 'The address of a service other than AWS, without the bucket.' }),
    field('path_style', 'boolean', 'Bucket in the path', {
      help: 'For services that have no host name for each bucket.',
    }),
  ]),
];
